#include "reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "abi.h"
#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/sst_block.h"

namespace crivo {
namespace {

class BlockReader final : public abi::FilterBitsReader {
 public:
  explicit BlockReader(const FilterRef& filter) noexcept : filter_(filter) {}

  bool MayMatch(const rocksdb::Slice& key) override { return filter_.may_contain(view(key)); }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    std::array<std::string_view, kBatch> views;
    std::array<std::uint64_t, kBatch> hashes;
    const std::size_t total = num_keys < 0 ? 0 : static_cast<std::size_t>(num_keys);
    for (std::size_t begin = 0; begin < total; begin += kBatch) {
      const std::size_t count = std::min(kBatch, total - begin);
      for (std::size_t i = 0; i < count; ++i) views[i] = view(*keys[begin + i]);
      hash_keys(std::span(views).first(count), filter_.shape().seed, hashes);
      filter_.may_contain_hashes(std::span(hashes).first(count), std::span(may_match + begin, count));
    }
  }

 private:
  static constexpr std::size_t kBatch = 32;  // RocksDB's MultiGetContext::MAX_BATCH_SIZE

  static std::string_view view(const rocksdb::Slice& key) noexcept { return {key.data(), key.size()}; }

  FilterRef filter_;
};

/// A BlockReader whose questions are counted. It is a class of its own, so that the other does not pay for it.
class CountingReader final : public abi::FilterBitsReader {
 public:
  CountingReader(const FilterRef& filter, std::shared_ptr<Counters> counters) noexcept
      : reader_(filter), kind_(filter.shape().kind), counters_(std::move(counters)) {}

  bool MayMatch(const rocksdb::Slice& key) override {
    const bool maybe = reader_.MayMatch(key);
    counters_->questions().add(kind_, QuestionCounts::Way::kSingle, maybe, 1);
    return maybe;
  }
  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    if (num_keys <= 0) return;
    reader_.MayMatch(num_keys, keys, may_match);
    const auto total = static_cast<std::uint64_t>(num_keys);
    const auto maybe = static_cast<std::uint64_t>(std::count(may_match, may_match + num_keys, true));
    counters_->questions().add(kind_, QuestionCounts::Way::kBatched, true, maybe);
    counters_->questions().add(kind_, QuestionCounts::Way::kBatched, false, total - maybe);
  }

 private:
  BlockReader reader_;
  Kind kind_;
  std::shared_ptr<Counters> counters_;
};

class MaybeReader final : public abi::FilterBitsReader {
 public:
  bool MayMatch(const rocksdb::Slice&) override { return true; }
  void MayMatch(int num_keys, rocksdb::Slice**, bool* may_match) override {
    std::fill_n(may_match, std::max(num_keys, 0), true);
  }
};

// What builders of RocksDB's and ours write where there is no filter: it means that every key may match.
bool is_always_true(const rocksdb::Slice& contents) noexcept {
  return contents.size() == 6 && std::all_of(contents.data(), contents.data() + 6, [](char byte) { return byte == 0; });
}

// RocksDB's built-in filters have 16 n + 5 bytes (5 bytes mean "no key"), or 6 bytes (which mean "every key").  A block
// of ours never is: payloads are whole words of 8 bytes (ribbon) or blocks of 64, and the trailer is 32. So one of ours
// whose marker was damaged cannot pass for one of theirs, which they would believe unchecked.
bool may_be_builtin(const rocksdb::Slice& contents) noexcept {
  return contents.size() > 5 && contents.size() % 16 == 5;
}

}  // namespace

rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents, const rocksdb::FilterPolicy& builtin,
                                            const std::shared_ptr<Counters>& counters, bool count_questions) noexcept
    try {
  const auto block = std::as_bytes(std::span(contents.data(), contents.size()));
  if (!is_sst_block(block) && may_be_builtin(contents)) {
    counters->opened_builtin();
    return builtin.GetFilterBitsReader(contents);
  }
  const auto filter = open_sst_block(block);
  if (!filter) {
    if (!is_always_true(contents)) counters->opened_damaged(contents.size(), filter.error().message);
    return abi::as_rocksdb(new MaybeReader);
  }
  if (count_questions) return abi::as_rocksdb(new CountingReader(*filter, counters));
  return abi::as_rocksdb(new BlockReader(*filter));
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace crivo
