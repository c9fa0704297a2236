// Where a file of a database lies, and its number, by which RocksDB names it.
#pragma once

#include <rocksdb/metadata.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace crivo::sst {

[[nodiscard]] inline std::string path_of(const rocksdb::FileStorageInfo& file) {
  return file.directory + "/" + file.relative_filename;
}

/// The number of the file at a path, "000123.sst".
[[nodiscard]] inline std::uint64_t number_of(const std::string& path) {
  return std::strtoull(path.c_str() + path.find_last_of('/') + 1, nullptr, 10);
}

}  // namespace crivo::sst
