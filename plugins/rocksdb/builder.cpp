#include "builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/sst_block.h"

namespace crivo {
namespace {

constexpr std::size_t kBlockBytes = kBlockBits / 8;
// RocksDB keeps a block's size, with its own five bytes, in 32 bits.
constexpr std::size_t kMaxPayloadBytes = 0xffff'ff00;

// What the built-in policies write for "every key may match". A block of five bytes or fewer would mean "none".
constexpr char kAlwaysTrue[6] = {};

std::uint64_t hash_of(const rocksdb::Slice& key) noexcept {
  return hash_key(std::string_view(key.data(), key.size()), 0);
}

bool contains_all(const FilterRef& filter, const HashLog& hashes) noexcept {
  return std::ranges::all_of(hashes.chunks(), [&](const auto& chunk) {
    return std::ranges::all_of(chunk, [&](std::uint64_t hash) { return filter.may_contain_hash(hash); });
  });
}

}  // namespace

double BlockSizing::bits_per_key(std::size_t keys) const noexcept {
  return std::min(bits_per_key_, 8.0 * kMaxPayloadBytes / static_cast<double>(std::max<std::size_t>(keys, 1)));
}

std::size_t BlockSizing::bytes(std::size_t keys) const noexcept {
  const double blocks = std::ceil(static_cast<double>(keys) * bits_per_key(keys) / kBlockBits);
  return static_cast<std::size_t>(std::max(blocks, 1.0)) * kBlockBytes + kSstTrailerBytes;
}

std::size_t BlockSizing::keys(std::size_t bytes) const noexcept {
  if (bytes < kBlockBytes + kSstTrailerBytes) return 0;
  const std::size_t blocks = std::min(bytes - kSstTrailerBytes, kMaxPayloadBytes) / kBlockBytes;
  const auto keys = static_cast<std::size_t>(static_cast<double>(blocks) * kBlockBits / bits_per_key_);
  return this->bytes(keys) > bytes ? keys - 1 : keys;  // the division may have rounded up
}

double BlockSizing::fp_rate(std::size_t keys, std::size_t bytes) noexcept {
  if (keys == 0) return 0;
  if (bytes < kBlockBytes + kSstTrailerBytes) return 1;
  const std::size_t whole_blocks = (bytes - kSstTrailerBytes) / kBlockBytes;
  const auto blocks = static_cast<double>(whole_blocks);
  const auto count = static_cast<double>(keys);
  return blocked_fp_rate(blocks, count, best_blocked_probes(blocks * kBlockBits / count));
}

void BlockBuilder::AddKey(const rocksdb::Slice& key) {
  const std::uint64_t hash = hash_of(key);
  if (hash != last_key_) append(hash);
  last_key_ = hash;
}

#if CRIVO_ROCKSDB_VERSION >= 906
// A key and its prefix. Keys come sorted, so repetitions are next to each other in each of the two sequences, and a
// key may be its own or its neighbour's prefix. Whatever is skipped here equals a hash that is in the log already.
void BlockBuilder::AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) {
  const std::uint64_t key_hash = hash_of(key);
  const std::uint64_t alt_hash = hash_of(alt);
  if (key_hash != last_key_ && key_hash != last_alt_) append(key_hash);
  if (alt_hash != last_alt_ && alt_hash != last_key_ && alt_hash != key_hash) append(alt_hash);
  last_key_ = key_hash;
  last_alt_ = alt_hash;
}
#endif

void BlockBuilder::append(std::uint64_t hash) noexcept {
  ++entries_;
  checksum_ ^= hash;
  try {
    hashes_.append(hash);
  } catch (const std::bad_alloc&) {
    lost_hashes_ = true;
  }
}

rocksdb::Slice BlockBuilder::Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) {
  rocksdb::Slice content(kAlwaysTrue, sizeof kAlwaysTrue);
  if (status != nullptr) *status = rocksdb::Status::OK();
  try {
    if (verify_ && !lost_hashes_ && !hashes_are_intact()) {
      if (status != nullptr) *status = rocksdb::Status::Corruption("crivo.Bloom: key hashes changed in memory");
    } else if (!lost_hashes_) {
      content = build(buf).value_or(content);
    }
  } catch (const std::bad_alloc&) {
    // The filter that lets every key pass costs reads, not keys.
  }
  start_over();
  return content;
}

bool BlockBuilder::hashes_are_intact() const noexcept {
  std::uint64_t checksum = 0;
  for (const auto& chunk : hashes_.chunks()) {
    for (const std::uint64_t hash : chunk) checksum ^= hash;
  }
  return checksum == checksum_;
}

std::optional<rocksdb::Slice> BlockBuilder::build(std::unique_ptr<const char[]>* buf) const {
  const std::size_t keys = hashes_.size();
  auto filter = AnyFilter::create(
      {.kind = Kind::kBlocked, .capacity = std::max<std::size_t>(keys, 1), .bits_per_key = sizing_.bits_per_key(keys)});
  if (!filter) return std::nullopt;
  for (const auto& chunk : hashes_.chunks()) {
    if (!filter->add_hashes(chunk)) return std::nullopt;
  }
  const std::span<const std::byte> payload = filter->payload();
  const std::size_t size = payload.size() + kSstTrailerBytes;
  std::unique_ptr<char[]> block(new char[size]);
  std::memcpy(block.get(), payload.data(), payload.size());
  seal_sst_block(filter->shape(), std::as_writable_bytes(std::span(block.get(), size)));
  const rocksdb::Slice content(block.get(), size);
  *buf = std::move(block);
  return content;
}

void BlockBuilder::start_over() noexcept {
  finished_.clear();
  if (verify_) std::swap(finished_, hashes_);
  hashes_.clear();
  entries_ = 0;
  checksum_ = 0;
  lost_hashes_ = false;
  last_key_.reset();
#if CRIVO_ROCKSDB_VERSION >= 906
  last_alt_.reset();
#endif
}

rocksdb::Status BlockBuilder::MaybePostVerify(const rocksdb::Slice& content) {
  if (!verify_ || content.data() == kAlwaysTrue) return rocksdb::Status::OK();
  const HashLog hashes = std::exchange(finished_, HashLog());
  try {
    const auto filter = open_sst_block(std::as_bytes(std::span(content.data(), content.size())));
    if (filter && contains_all(*filter, hashes)) return rocksdb::Status::OK();
    return rocksdb::Status::Corruption("crivo.Bloom: filter block changed in memory");
  } catch (const std::bad_alloc&) {
    return rocksdb::Status::MemoryLimit();
  }
}

}  // namespace crivo
