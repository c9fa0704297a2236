#include "reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

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

class MaybeReader final : public abi::FilterBitsReader {
 public:
  bool MayMatch(const rocksdb::Slice&) override { return true; }
  void MayMatch(int num_keys, rocksdb::Slice**, bool* may_match) override {
    std::fill_n(may_match, std::max(num_keys, 0), true);
  }
};

// RocksDB's built-in filters have 16 n + 5 bytes (5 bytes mean "no key"), or 6 bytes (which mean "every key").  A block
// of ours never is: payloads are whole words of 8 bytes (ribbon) or blocks of 64, and the trailer is 32. So one of ours
// whose marker was damaged cannot pass for one of theirs, which they would believe unchecked.
bool may_be_builtin(const rocksdb::Slice& contents) noexcept {
  return contents.size() > 5 && contents.size() % 16 == 5;
}

}  // namespace

rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents,
                                            const rocksdb::FilterPolicy& builtin) noexcept try {
  const auto block = std::as_bytes(std::span(contents.data(), contents.size()));
  if (!is_sst_block(block) && may_be_builtin(contents)) return builtin.GetFilterBitsReader(contents);
  const auto filter = open_sst_block(block);
  if (filter) return abi::as_rocksdb(new BlockReader(*filter));
  return abi::as_rocksdb(new MaybeReader);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace crivo
