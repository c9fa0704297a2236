// Finds the filter blocks of any policy, including RocksDB's own, in the files of a database. It records the blocks
// when they are built, so it knows which policy built them.
#pragma once

#include <mutex>

#include "wrapped_builder.h"

namespace crivo::testing {

/// Wraps a policy, and copies its filter blocks.
class RecordingPolicy final : public WrappedPolicy {
 public:
  explicit RecordingPolicy(const Policy& inner) : WrappedPolicy("test.Recording", inner->CompatibilityName(), inner) {}

  [[nodiscard]] rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return abi::as_rocksdb(new Builder(new_builder(inner(), context), *this));
  }

  struct Block {
    std::size_t offset;
    std::size_t size;
  };
  /// The locations in this file of the blocks that were built so far.
  [[nodiscard]] std::vector<Block> blocks_in(const std::string& file) const {
    const std::scoped_lock lock(mutex_);
    std::vector<Block> found;
    for (const std::string& block : blocks_) {
      const std::size_t offset = file.find(block);
      if (offset != std::string::npos) found.push_back({offset, block.size()});
    }
    return found;
  }

 private:
  class Builder final : public WrappedBuilder {
   public:
    Builder(std::unique_ptr<abi::FilterBitsBuilder> inner, const RecordingPolicy& policy)
        : WrappedBuilder(std::move(inner)), policy_(policy) {}
    rocksdb::Slice Finish(std::unique_ptr<const char[]>* buffer) override {
      return record(WrappedBuilder::Finish(buffer));
    }
    rocksdb::Slice Finish(std::unique_ptr<const char[]>* buffer, rocksdb::Status* status) override {
      return record(WrappedBuilder::Finish(buffer, status));
    }

   private:
    rocksdb::Slice record(const rocksdb::Slice& block) {
      const std::scoped_lock lock(policy_.mutex_);
      policy_.blocks_.push_back(block.ToString());
      return block;
    }

    const RecordingPolicy& policy_;
  };

  mutable std::mutex mutex_;
  mutable std::vector<std::string> blocks_;
};

}  // namespace crivo::testing
