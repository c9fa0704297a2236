// The path of a database's file, and its number.
#pragma once

#include <rocksdb/metadata.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace crivo::sst {

[[nodiscard]] inline std::string path_of(const rocksdb::FileStorageInfo& file) {
  return file.directory + "/" + file.relative_filename;
}

/// The number in a path such as "000123.sst".
[[nodiscard]] inline std::uint64_t number_of(const std::string& path) {
  return std::strtoull(path.c_str() + path.find_last_of('/') + 1, nullptr, 10);
}

}  // namespace crivo::sst
