// A reader of ranges for files on this machine, for the tests of filters that lie elsewhere.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "crivo/remote_filter.h"

namespace crivo::testing {

/// What was read, and what is to go wrong.
struct RangeUse {
  std::atomic<std::uint64_t> reads = 0;
  std::atomic<std::uint64_t> ranges = 0;
  std::atomic<std::uint64_t> bytes = 0;
  /// Changes what was found, if it is set.
  std::function<void(RemoteRange&)> change;

  void reset() { reads = ranges = bytes = 0; }
};

class RangeFiles final : public RangeReader {
 public:
  RangeFiles(std::string path, std::shared_ptr<RangeUse> use) : path_(std::move(path)), use_(std::move(use)) {}

  Result<void> read(std::span<RemoteRange> ranges) override {
    ++use_->reads;
    for (RemoteRange& range : ranges) {
      std::ifstream file(path_ + range.file, std::ios::binary);
      if (!file) return Error{ErrorCode::kSystem, path_ + range.file + " must be readable"};
      file.seekg(static_cast<std::streamoff>(range.offset));
      range.found.resize(static_cast<std::size_t>(range.bytes));
      file.read(reinterpret_cast<char*>(range.found.data()), static_cast<std::streamsize>(range.bytes));
      range.found.resize(static_cast<std::size_t>(file.gcount()));
      range.version = std::to_string(std::filesystem::last_write_time(path_ + range.file).time_since_epoch().count());
      ++use_->ranges;
      use_->bytes += range.found.size();
      if (use_->change) use_->change(range);
    }
    return {};
  }

 private:
  std::string path_;
  std::shared_ptr<RangeUse> use_;
};

}  // namespace crivo::testing
