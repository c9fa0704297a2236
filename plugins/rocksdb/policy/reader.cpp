#include "policy/reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi.h"
#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/host/sst_block.h"
#include "sst/checked_reader.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kBatch = 32;  // RocksDB's MultiGetContext::MAX_BATCH_SIZE

std::string_view view(const rocksdb::Slice& key) noexcept { return {key.data(), key.size()}; }

/// Calls `query(keys, may_match)` batch by batch.
template <typename Query>
void in_batches(int num_keys, rocksdb::Slice** keys, bool* may_match, const Query& query) {
  const std::size_t total = num_keys < 0 ? 0 : static_cast<std::size_t>(num_keys);
  for (std::size_t begin = 0; begin < total; begin += kBatch) {
    const std::size_t count = std::min(kBatch, total - begin);
    query(std::span(keys + begin, count), std::span(may_match + begin, count));
  }
}

class BlockReader final : public abi::FilterBitsReader {
 public:
  explicit BlockReader(const FilterRef& filter) noexcept : filter_(filter) {}

  bool MayMatch(const rocksdb::Slice& key) override { return filter_.may_contain(view(key)); }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    in_batches(num_keys, keys, may_match, [&](std::span<rocksdb::Slice*> batch, std::span<bool> hits) {
      std::array<std::string_view, kBatch> views;
      for (std::size_t i = 0; i < batch.size(); ++i) views[i] = view(*batch[i]);
      filter_.may_contain_keys(std::span(views).first(batch.size()), hits);
    });
  }

 private:
  FilterRef filter_;
};

/// Queries with canonical keys. If the transform throws, the answer is "maybe".
class TransformReader final : public abi::FilterBitsReader {
 public:
  TransformReader(const FilterRef& filter, const NamedKeyTransform& transform) noexcept
      : filter_(filter), transform_(transform) {}

  bool MayMatch(const rocksdb::Slice& key) override try {
    std::string scratch;
    return filter_.may_contain_hash(transform_.hash(key, filter_.shape().seed, scratch));
  } catch (...) {
    return true;
  }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override try {
    std::string scratch;
    in_batches(num_keys, keys, may_match, [&](std::span<rocksdb::Slice*> batch, std::span<bool> hits) {
      std::array<std::uint64_t, kBatch> hashes;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        hashes[i] = transform_.hash(*batch[i], filter_.shape().seed, scratch);
      }
      filter_.may_contain_hashes(std::span(hashes).first(batch.size()), hits);
    });
  } catch (...) {
    std::fill_n(may_match, num_keys, true);
  }

 private:
  FilterRef filter_;
  const NamedKeyTransform& transform_;
};

/// A reader that counts its queries. A separate class, so that other readers have no overhead.
template <typename Reader>
class CountingReader final : public abi::FilterBitsReader {
 public:
  CountingReader(const Reader& reader, Kind kind, std::shared_ptr<Counters> counters) noexcept
      : reader_(reader), kind_(kind), counters_(std::move(counters)) {}

  bool MayMatch(const rocksdb::Slice& key) override {
    const bool maybe = reader_.MayMatch(key);
    counters_->query_counts().add(kind_, QueryCounts::Way::kSingle, maybe, 1);
    return maybe;
  }
  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    if (num_keys <= 0) return;
    reader_.MayMatch(num_keys, keys, may_match);
    const auto total = static_cast<std::uint64_t>(num_keys);
    const auto maybe = static_cast<std::uint64_t>(std::count(may_match, may_match + num_keys, true));
    counters_->query_counts().add(kind_, QueryCounts::Way::kBatched, true, maybe);
    counters_->query_counts().add(kind_, QueryCounts::Way::kBatched, false, total - maybe);
  }

 private:
  Reader reader_;
  Kind kind_;
  std::shared_ptr<Counters> counters_;
};

class MaybeReader final : public abi::FilterBitsReader {
 public:
  bool MayMatch(const rocksdb::Slice&) override { return true; }
  void MayMatch(int num_keys, rocksdb::Slice**, bool* may_match) override { std::fill_n(may_match, num_keys, true); }
};

// Whether this is a block that builders write instead of a filter: RocksDB's for a partition without keys, of 5 bytes,
// or Crivo's and RocksDB's for a filter that every key passes.
bool is_no_filter(const rocksdb::Slice& contents) noexcept {
  if (contents.size() == 5) return true;
  return contents.size() == 6 && std::all_of(contents.data(), contents.data() + 6, [](char byte) { return byte == 0; });
}

// RocksDB's built-in filters have 16 n + 5 bytes (5 bytes mean "no key"), or 6 bytes ("every key"). Crivo's filters
// never have such a size, because payloads and tails are whole words of 8 bytes. So a Crivo filter with a damaged
// marker never reaches RocksDB's readers, which verify nothing. RocksDB's reader of old Bloom filters also trusts the
// number of cache lines in the block: with a wrong number, the reader would read far outside the block.
bool may_be_builtin(const rocksdb::Slice& contents) noexcept {
  constexpr std::size_t kMetadataBytes = 5;
  constexpr std::size_t kLineBytes = 64;
  if (contents.size() <= kMetadataBytes || contents.size() % 16 != kMetadataBytes) return false;
  const std::size_t payload = contents.size() - kMetadataBytes;
  const char* const metadata = contents.data() + payload;
  const auto marker = static_cast<signed char>(metadata[0]);
  if (marker == -1) return payload % kLineBytes == 0;
  if (marker < 1) return true;
  // Bloom filters of format_version 4 and older store the number of cache lines, but not the size of a line.
  const auto lines = sst::fixed<std::uint32_t>({metadata + 1, 4});
  return lines != 0 && payload % lines == 0;
}

/// Wraps the reader in a counting one if requested.
template <typename Reader>
rocksdb::FilterBitsReader* counted(const Reader& reader, const FilterRef& filter,
                                   const std::shared_ptr<Counters>& counters, bool count_questions) {
  if (!count_questions) return abi::as_rocksdb(new Reader(reader));
  return abi::as_rocksdb(new CountingReader<Reader>(reader, filter.shape().kind, counters));
}

}  // namespace

rocksdb::FilterBitsReader* new_maybe_reader() noexcept { return abi::as_rocksdb(new (std::nothrow) MaybeReader); }

rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents, const rocksdb::FilterPolicy& builtin,
                                            const NamedKeyTransform* transform,
                                            const std::shared_ptr<Counters>& counters, bool count_questions) noexcept
    try {
  const auto block = std::as_bytes(std::span(contents.data(), contents.size()));
  if (!is_sst_block(block) && may_be_builtin(contents)) {
    counters->opened_builtin();
    return transform == nullptr ? builtin.GetFilterBitsReader(contents) : new_maybe_reader();
  }
  const auto filter = open_sst_block(block, name_of(transform));
  if (!filter) {
    if (filter.error().code == ErrorCode::kBadArgument) {
      counters->opened_other_transform();
    } else if (!is_no_filter(contents)) {
      counters->opened_damaged(contents.size(), filter.error().message);
    }
    return new_maybe_reader();
  }
  if (filter->shape().hash_id != HashId::kXxh3_64) return new_maybe_reader();
  if (transform != nullptr) {
    return counted(TransformReader(*filter, *transform), *filter, counters, count_questions);
  }
  return counted(BlockReader(*filter), *filter, counters, count_questions);
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace crivo::plugin
