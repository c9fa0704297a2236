// Queries the filter of an SST file, without reading the rest of the file.
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi.h"
#include "sst/filter_layout.h"

namespace crivo::tool {

/// Holds all filter blocks of a file in memory. Not thread-safe.
class FilterProbe {
 public:
  /// Reads the filter. Errors: as TableFile::open; NotFound if the file has no filter, or an unreadable one.
  rocksdb::Status open(rocksdb::FileSystem& files, const std::string& path);

  /// Caveats about the answers: damaged parts, prefixes only.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Whether the filter lets each of these keys pass, in order. A damaged filter lets every key pass.
  void ask(std::span<rocksdb::Slice> keys, std::span<bool> hits);

 private:
  struct Part {
    std::string block;
    std::unique_ptr<abi::FilterBitsReader> reader;  // null: every key passes
  };

  void make_policy(const std::string& key_transform);
  static void ask_all(const Part& part, std::span<rocksdb::Slice> keys, std::span<bool> hits);

  sst::FilterLayout layout_;
  std::deque<Part> parts_;  // readers refer to their blocks, which must not move
  std::vector<std::string> notes_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
};

}  // namespace crivo::tool
