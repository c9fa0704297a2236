// Filter files for the tests of mapped filters.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "crivo/mapped_filter.h"
#include "filters.h"
#include "temp_folder.h"

namespace crivo::testing {

inline constexpr std::uint64_t kKeys = 30'000;

/// Writes a new file under this name. An older file of this name that is still mapped is not changed.
inline std::string write_file(const std::string& name, std::span<const std::byte> bytes) {
  std::string path = temp_file(name);
  std::filesystem::remove(path);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  EXPECT_TRUE(file) << path;
  return path;
}

/// Overwrites bytes of an existing file in place.
inline void overwrite(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

/// Without a check for changes, so that opening need not wait for the next clock tick after the file was written.
inline const MapOptions kStill = {.limits = {}, .file_may_change = false};

inline MappedFilter open_file(const std::string& path, const MapOptions& options = {}) {
  return *MappedFilter::open(path, options);
}

inline AnyFilter filter_of(Kind kind) {
  FilterSpec spec{.kind = kind, .capacity = kKeys, .seed = 7};
  if (kind == Kind::kScalable) spec.capacity = 1000;  // so that the filter has several layers
  return build_filter(spec, kKeys);
}

inline std::vector<std::uint64_t> some_hashes(std::uint64_t each = 1000) {
  std::vector<std::uint64_t> hashes = present_hashes(each, 7);
  const std::vector<std::uint64_t> absent = absent_hashes(each, 7);
  hashes.insert(hashes.end(), absent.begin(), absent.end());
  return hashes;
}

}  // namespace crivo::testing
