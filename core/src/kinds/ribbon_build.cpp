// Building a ribbon level by level.
//
// Banding: each row is added to a triangular system with one row per slot, by Gaussian elimination inside its 64 bits.
// A row that reduces to nothing has failed: its bucket's threshold goes up and its lower keys are bumped. Buckets are
// filled from left to right and each from right to left, so what a bucket bumps is what its left neighbour spills over.
// Back-substitution then solves slot after slot from right to left, all columns at once.
// To bound memory a level is built in shards of buckets, from right to left. A shard's first bucket keeps no start
// below kBorder, so the shard on its left owns the slots up to there; its rows may reach beyond them, where the
// solution is known by then. Paper: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022.
#include "kinds/ribbon_build.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <vector>

#include "error_text.h"
#include "hash_sort.h"
#include "kinds/ribbon_band.h"
#include "simd/kernels.h"

namespace crivo {
namespace {

constexpr std::uint64_t kBaseKeys = 2048;     // at most so many are left to the base, which finds place for all
constexpr std::uint64_t kShardBuckets = 512;  // 850 KB of banding; each shard costs about 19 empty slots
constexpr unsigned kBorderThreshold = 2;
constexpr unsigned kBorder = ribbon_kept_from(kBorderThreshold);
constexpr std::uint64_t kBorderSlots = (std::uint64_t{1} << kBorder) - 1;
constexpr unsigned kSeedsPerSize = 16;

// For the planned size, which is seldom too small: one slot in so many stays empty, and so many of the last block.
constexpr std::uint64_t kEmptySlots = 512;
constexpr std::uint64_t kEmptyAtEnd = 48;

/// Of an odd number, modulo 2^64; each Newton step doubles the bits that are right, of 3.
constexpr std::uint64_t inverse(std::uint64_t odd) noexcept {
  std::uint64_t result = odd;
  for (int i = 0; i < 5; ++i) result *= 2 - odd * result;
  return result;
}
constexpr std::uint64_t kPreviousLevel = inverse(kRibbonNextLevel);
static_assert(kPreviousLevel * kRibbonNextLevel == 1);

std::uint64_t base_blocks(std::uint64_t keys) noexcept {
  const std::uint64_t slots = keys + 8 + keys / 64;  // few slots to spare, yet one of the first seeds will do
  return std::max(kMinRibbonBlocks, (slots + kRibbonBlockSlots - 1) / kRibbonBlockSlots);
}

/// Keys that a level of so many leaves to the next, and seldom more.
std::uint64_t after_level(std::uint64_t keys, const RibbonLevel& level) noexcept {
  return keys - std::min(keys, level.slots() - level.slots() / kEmptySlots) + kEmptyAtEnd;
}

/// Keys of one level: their hashes at that level in ascending order, and what their fingerprints are made with.
struct LevelKeys {
  std::span<const std::uint64_t> hashes;
  std::uint64_t fingerprint_factor;
};

std::uint32_t fingerprint_mask(const RibbonColumns& columns) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{1} << columns.most()) - 1);
}

/// Writes one level at `at`, from its keys; those it bumps are appended to `bumped` with their next level's hashes.
class LevelBuilder {
 public:
  LevelBuilder(const RibbonLevel& level, const RibbonColumns& columns, LevelKeys keys, std::byte* at,
               std::vector<std::uint64_t>& bumped)
      : level_(level),
        columns_(columns.most()),
        mask_(fingerprint_mask(columns)),
        keys_(keys),
        thresholds_(at + 8),
        solution_(thresholds_ + 8 * level.threshold_words()),
        bumped_(bumped) {
    store_le(at, level.blocks);
  }

  void build() {
    const std::uint64_t shard_buckets = level_.base ? level_.buckets() : kShardBuckets;
    const std::uint64_t shards = (level_.buckets() + shard_buckets - 1) / shard_buckets;
    std::size_t keys_end = keys_.hashes.size();
    for (std::uint64_t shard = shards; shard-- > 0;) {
      const std::uint64_t from = shard * shard_buckets;
      const std::uint64_t to = std::min(level_.buckets(), from + shard_buckets);
      const std::size_t keys_begin = first_key_of(from, keys_end);
      const bool last = shard + 1 == shards;
      band_.reset(2 * from, last ? level_.blocks - 1 : 2 * to, last ? ~std::uint64_t{0} : kBorderSlots);
      band(from, to, keys_begin, keys_end);
      solve(last);
      keys_end = keys_begin;
    }
  }

 private:
  [[nodiscard]] std::uint64_t bucket_of(std::uint64_t hash) const noexcept {
    return mulhi(hash, level_.starts()) / kRibbonBucketStarts;
  }
  [[nodiscard]] std::size_t first_key_of(std::uint64_t bucket, std::size_t end) const noexcept {
    const auto first = keys_.hashes.begin();
    const auto found = std::partition_point(first, first + static_cast<std::ptrdiff_t>(end),
                                            [&](std::uint64_t hash) { return bucket_of(hash) < bucket; });
    return static_cast<std::size_t>(found - first);
  }

  /// Buckets from ... to - 1, whose keys are those from `at` to `end`.
  void band(std::uint64_t from, std::uint64_t to, std::size_t at, std::size_t end) {
    for (std::uint64_t bucket = from; bucket < to; ++bucket) {
      std::size_t next = at;
      while (next < end && bucket_of(keys_.hashes[next]) == bucket) ++next;
      const RibbonBucket keys{.number = bucket,
                              .hashes = keys_.hashes.data() + at,
                              .count = next - at,
                              .starts = level_.starts(),
                              .fingerprint_factor = keys_.fingerprint_factor,
                              .fingerprint_mask = mask_,
                              .threshold = bucket == from && from != 0 ? kBorderThreshold : 0};
      const RibbonBumped result = kernels().ribbon_add_bucket(band_, keys);
      for (std::size_t i = 0; i < result.bumped; ++i) bumped_.push_back(keys.hashes[i] * kRibbonNextLevel);
      if (!level_.base) thresholds_[bucket / 4] |= static_cast<std::byte>(result.threshold << (2 * (bucket % 4)));
      at = next;
    }
  }

  void solve(bool last) noexcept {
    std::uint64_t block = band_.last_block();
    if (!last) solve_border(block--);
    for (; block + 1 > band_.first_block(); --block) {
      kernels().ribbon_solve(band_.block(block), columns_, window_.data());
      write(block);
    }
  }

  // The window is the part of this block that the shard on the right has solved. Our rows here have no bits beyond it.
  void solve_border(std::uint64_t number) noexcept {
    RibbonBlock& block = band_.block(number);
    const RibbonBits& bits = band_.bits(number);
    for (unsigned column = 0; column < columns_; ++column) {
      for (unsigned slot = 0; slot < kBorder; ++slot) {
        const auto parity = static_cast<std::uint32_t>(std::popcount(bits.here[slot] & window_[column])) & 1;
        block.result[slot] ^= (block.pivots >> slot & 1) != 0 ? parity << column : 0;
      }
    }
    std::array<std::uint64_t, kMaxRibbonColumns> ours{};
    kernels().ribbon_solve(block, columns_, ours.data());
    for (unsigned column = 0; column < columns_; ++column) window_[column] |= ours[column];
    write(number);
  }

  void write(std::uint64_t block) noexcept {
    std::byte* words = solution_ + 8 * level_.words_before(block);
    for (unsigned column = 0; column < level_.columns_of(block); ++column)
      store_le(words + 8 * column, window_[column]);
  }

  RibbonLevel level_;
  unsigned columns_;
  std::uint32_t mask_;
  LevelKeys keys_;
  std::byte* thresholds_;
  std::byte* solution_;
  std::vector<std::uint64_t>& bumped_;
  RibbonBand band_;
  std::array<std::uint64_t, kMaxRibbonColumns> window_{};  // the columns of the latest block solved
};

class RibbonBuilder {
 public:
  RibbonBuilder(const RibbonColumns& columns, std::uint64_t keys) : columns_(columns), all_keys_(keys) {
    payload_.reserve(static_cast<std::size_t>(8 * ribbon_words(keys, columns)));
    payload_.resize(8);
  }

  /// From distinct hashes in ascending order.
  Result<AlignedBytes> build(std::span<const std::uint64_t> hashes) && {
    LevelKeys keys{hashes, kRibbonFingerprint};
    std::vector<std::uint64_t> left;
    while (keys.hashes.size() > kBaseKeys && levels_ + 1 < kMaxRibbonLevels) {
      const RibbonLevel level(ribbon_level_blocks(keys.hashes.size()), columns_, false);
      std::vector<std::uint64_t> bumped;
      bumped.reserve(static_cast<std::size_t>(after_level(keys.hashes.size(), level)));
      LevelBuilder(level, columns_, keys, append(level), bumped).build();
      sort_hashes(bumped);
      left = std::move(bumped);
      keys = {left, keys.fingerprint_factor * kPreviousLevel};
    }
    if (!build_base(keys)) {
      return error(ErrorCode::kBadArgument,
                   "hashes must be spread like those of hash_key, got a set without a solution");
    }
    store_le(payload_.data(), RibbonHeader::word(levels_, base_seed_, all_keys_));
    return std::move(payload_);
  }

 private:
  std::byte* append(const RibbonLevel& level) {
    const std::size_t at = payload_.size();
    payload_.resize(at + static_cast<std::size_t>(8 * level.words()));
    ++levels_;
    return payload_.data() + at;
  }

  bool build_base(const LevelKeys& keys) {
    const std::size_t at = payload_.size();
    const std::uint64_t enough = 4 * base_blocks(keys.hashes.size());
    for (std::uint64_t blocks = base_blocks(keys.hashes.size()); blocks <= enough; blocks += 1 + blocks / 32) {
      std::vector<std::uint64_t> hashes(keys.hashes.begin(), keys.hashes.end());
      std::uint64_t fingerprint_factor = keys.fingerprint_factor;
      for (base_seed_ = 0; base_seed_ < kSeedsPerSize; ++base_seed_) {
        std::vector<std::uint64_t> bumped;
        const RibbonLevel level(blocks, columns_, true);
        LevelBuilder(level, columns_, {hashes, fingerprint_factor}, append(level), bumped).build();
        if (bumped.empty()) return true;
        payload_.resize(at);
        --levels_;
        for (std::uint64_t& hash : hashes) hash *= kRibbonNextLevel;
        sort_hashes(hashes);
        fingerprint_factor *= kPreviousLevel;
      }
    }
    return false;
  }

  RibbonColumns columns_;
  std::uint64_t all_keys_;
  AlignedBytes payload_;
  unsigned levels_ = 0;
  unsigned base_seed_ = 0;
};

}  // namespace

std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept {
  // 16 keys for 15 slots: with the thresholds of the format, less than one slot in a thousand stays empty.
  return std::max(kMinRibbonBlocks, keys / 16 * 15 / kRibbonBlockSlots);
}

std::uint64_t ribbon_words(std::uint64_t keys, const RibbonColumns& columns) noexcept {
  if (keys == 0) return 1;
  std::uint64_t words = 1;
  while (keys > kBaseKeys) {
    const RibbonLevel level(ribbon_level_blocks(keys), columns, false);
    words += level.words();
    keys = after_level(keys, level);
  }
  return words + RibbonLevel(base_blocks(keys), columns, true).words();
}

Result<AlignedBytes> build_ribbon(const RibbonColumns& columns, std::span<const std::uint64_t> hashes) {
  std::vector<std::uint64_t> sorted;
  if (std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal<>()) != hashes.end()) {
    sorted.assign(hashes.begin(), hashes.end());
    sort_hashes(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    hashes = sorted;
  }
  return RibbonBuilder(columns, hashes.size()).build(hashes);
}

}  // namespace crivo
