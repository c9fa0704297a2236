// Reads the committed files of this folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>

#include "blob_surgery.h"

namespace crivo::testing {

inline std::filesystem::path golden_folder(const char* name) { return std::filesystem::path(CRIVO_GOLDEN_DIR) / name; }

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string() + ": run golden_writer for a new kind");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Bytes bytes(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = static_cast<std::byte>(text[i]);
  return bytes;
}

inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace crivo::testing
