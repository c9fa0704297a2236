// Shared by the benchmarks of small RocksDB databases.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace crivo::bench {

inline void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

inline std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
  return bytes;
}

/// Calls work(folder) with a temporary folder, and removes it. Prints an exception's message. Returns the exit code.
int in_scratch_folder(const std::string& program, const auto& work) {
  std::string folder = (std::filesystem::temp_directory_path() / (program + "-XXXXXX")).string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  int code = 0;
  try {
    work(folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    code = 1;
  }
  std::filesystem::remove_all(folder);
  return code;
}

}  // namespace crivo::bench
