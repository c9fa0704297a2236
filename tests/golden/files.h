// Reads the committed files of this folder.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "disk.h"
#include "filters.h"

namespace crivo::testing {

inline std::filesystem::path golden_folder(const char* name) { return std::filesystem::path(CRIVO_GOLDEN_DIR) / name; }

inline Bytes read_file(const std::filesystem::path& path) { return bytes_of(read_bytes(path)); }

inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace crivo::testing
