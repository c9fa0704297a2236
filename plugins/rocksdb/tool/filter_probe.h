// Asks the filter of an SST file for keys, without the rest of the file.
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

/// Holds all filter blocks of a file in memory. One thread at a time may ask.
class FilterProbe {
 public:
  /// Reads the filter. Errors: as TableFile::open; NotFound if the file has no filter, or none that can be read.
  rocksdb::Status open(rocksdb::FileSystem& files, const std::string& path);

  /// What one should know before one believes the answers: that parts are damaged, or have prefixes only.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Whether the filter lets each of these keys pass, in the order of the keys. A damaged filter lets every key pass.
  void ask(std::span<rocksdb::Slice> keys, std::span<bool> hits);

 private:
  struct Part {
    std::string block;
    std::unique_ptr<abi::FilterBitsReader> reader;  // null where every key passes
  };

  void make_policy(const std::string& key_transform);
  static void ask_all(const Part& part, std::span<rocksdb::Slice> keys, std::span<bool> hits);

  sst::FilterLayout layout_;
  std::deque<Part> parts_;  // a reader refers to its block, which must not move
  std::vector<std::string> notes_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
};

}  // namespace crivo::tool
