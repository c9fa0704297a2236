// Building a ribbon level by level.
//
// Banding: each row is added to a triangular system with one row per slot, by Gaussian elimination inside its 64 bits.
// A row that reduces to nothing has failed: its bucket's threshold goes up and its lower keys are bumped. Buckets are
// filled from left to right and each from right to left, so what a bucket bumps is what its left neighbour spills over.
// Back-substitution then solves slot after slot from right to left, all columns at once.
// To bound memory a level is built in shards of buckets, from right to left. A shard's first bucket keeps no start
// below kBorder, so the shard on its left owns the slots up to there; its rows may reach beyond them, where the
// solution is known by then. Paper: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022, sections 3 to 5.
#include "kinds/ribbon_build.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <vector>

#include "error_text.h"

namespace crivo {
namespace {

constexpr std::uint64_t kBaseKeys = 2048;     // at most so many are left to the base, which finds place for all
constexpr std::uint64_t kShardBuckets = 512;  // 800 KB of banding; each shard costs about 19 empty slots
constexpr unsigned kBorderThreshold = 2;
constexpr unsigned kBorder = ribbon_kept_from(kBorderThreshold);
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

/// Keys of one level: their hashes at that level in ascending order, and what their fingerprints are made with.
struct LevelKeys {
  std::vector<std::uint64_t> hashes;
  std::uint64_t fingerprint_factor;
};

/// The triangular system of a range of slots: at each slot a row that starts with a 1 there, or none.
class Banding {
 public:
  void reset(std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    rows_.assign(static_cast<std::size_t>(end - begin), 0);
    results_.assign(static_cast<std::size_t>(end - begin), 0);
  }
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return begin_ + rows_.size(); }
  [[nodiscard]] std::uint64_t row(std::uint64_t slot) const noexcept { return rows_[slot - begin_]; }
  [[nodiscard]] std::uint32_t result(std::uint64_t slot) const noexcept { return results_[slot - begin_]; }

  static constexpr std::uint64_t kFailed = UINT64_MAX;
  static constexpr std::uint64_t kRedundant = UINT64_MAX - 1;  // follows from the rows there are

  /// The slot that took the row, or one of the above.
  std::uint64_t add(std::uint64_t start, std::uint64_t row, std::uint32_t result) noexcept {
    std::size_t at = start - begin_;
    while (at < rows_.size()) {
      if (rows_[at] == 0) {
        rows_[at] = row;
        results_[at] = result;
        return begin_ + at;
      }
      row ^= rows_[at];
      result ^= results_[at];
      if (row == 0) return result == 0 ? kRedundant : kFailed;
      const auto skip = static_cast<unsigned>(std::countr_zero(row));
      row >>= skip;
      at += skip;
    }
    return kFailed;
  }
  /// Takes back the latest row that is still there.
  void remove(std::uint64_t slot) noexcept { rows_[slot - begin_] = 0; }

 private:
  std::uint64_t begin_ = 0;
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint32_t> results_;
};

/// Solves a level's slots from right to left, and writes each block when it is complete.
class Solver {
 public:
  Solver(const RibbonLevel& level, unsigned columns, std::byte* solution) noexcept
      : level_(level), columns_(columns), solution_(solution) {}

  void solve(const Banding& banding) noexcept {
    for (std::uint64_t slot = banding.end(); slot-- > banding.begin();) {
      const std::uint64_t row = banding.row(slot);
      const std::uint32_t result = banding.result(slot);
      for (unsigned column = 0; column < columns_; ++column) {
        const std::uint64_t right = window_[column] << 1;
        const std::uint64_t bit = (static_cast<unsigned>(std::popcount(right & row)) ^ result >> column) & 1;
        window_[column] = right | (row != 0 ? bit : 0);
      }
      if (slot % kRibbonBlockSlots == 0) write(slot / kRibbonBlockSlots);
    }
  }

 private:
  void write(std::uint64_t block) noexcept {
    std::byte* words = solution_ + 8 * level_.words_before(block);
    for (unsigned column = 0; column < level_.columns_of(block); ++column)
      store_le(words + 8 * column, window_[column]);
  }

  RibbonLevel level_;
  unsigned columns_;
  std::byte* solution_;
  std::array<std::uint64_t, kMaxRibbonColumns> window_{};  // per column, the solution from the latest slot on
};

class LevelBuilder {
 public:
  LevelBuilder(const RibbonLevel& level, unsigned columns, const LevelKeys& keys, std::byte* at,
               std::vector<std::uint64_t>& bumped) noexcept
      : level_(level),
        keys_(keys),
        mask_(columns == 32 ? UINT32_MAX : (std::uint32_t{1} << columns) - 1),
        thresholds_(at + 8),
        solver_(level, columns, at + 8 + 8 * level.threshold_words()),
        bumped_(bumped) {
    store_le(at, level.blocks);
  }

  void build() {
    std::size_t keys_end = keys_.hashes.size();
    const std::uint64_t shards = (level_.buckets() + kShardBuckets - 1) / kShardBuckets;
    for (std::uint64_t shard = shards; shard-- > 0;) {
      const std::uint64_t from = shard * kShardBuckets;
      const std::uint64_t to = std::min(level_.buckets(), from + kShardBuckets);
      banding_.reset(shard == 0 ? 0 : from * kRibbonBucketStarts + kBorder,
                     shard + 1 == shards ? level_.slots() : to * kRibbonBucketStarts + kBorder);
      const std::size_t keys_begin = first_key_of(from, keys_end);
      std::size_t at = keys_begin;
      for (std::uint64_t bucket = from; bucket < to; ++bucket) {
        const std::size_t next = bucket + 1 == to ? keys_end : end_of_bucket(bucket, at, keys_end);
        add_bucket(bucket, at, next, bucket == from && shard != 0 ? kBorderThreshold : 0);
        at = next;
      }
      solver_.solve(banding_);
      keys_end = keys_begin;
    }
  }

 private:
  [[nodiscard]] std::uint64_t start_of(std::size_t key) const noexcept {
    return mulhi(keys_.hashes[key], level_.starts());
  }
  [[nodiscard]] std::size_t first_key_of(std::uint64_t bucket, std::size_t end) const noexcept {
    const auto first = keys_.hashes.begin();
    const auto found = std::partition_point(first, first + static_cast<std::ptrdiff_t>(end), [&](std::uint64_t hash) {
      return mulhi(hash, level_.starts()) < bucket * kRibbonBucketStarts;
    });
    return static_cast<std::size_t>(found - first);
  }
  [[nodiscard]] std::size_t end_of_bucket(std::uint64_t bucket, std::size_t at, std::size_t end) const noexcept {
    while (at < end && start_of(at) / kRibbonBucketStarts == bucket) ++at;
    return at;
  }

  // From the highest start down. Keys below the threshold are bumped, also those already placed when it went up.
  void add_bucket(std::uint64_t bucket, std::size_t begin, std::size_t end, unsigned threshold) {
    placed_.clear();
    const std::uint64_t first_start = bucket * kRibbonBucketStarts;
    std::uint64_t kept_from = first_start + ribbon_kept_from(threshold);
    std::size_t key = end;
    for (; key > begin; --key) {
      const std::uint64_t hash = keys_.hashes[key - 1];
      const std::uint64_t start = start_of(key - 1);
      if (start < kept_from) break;
      const std::uint64_t slot =
          banding_.add(start, ribbon_row(hash), ribbon_fingerprint(hash, keys_.fingerprint_factor) & mask_);
      if (slot == Banding::kFailed) {
        while (start - first_start >= ribbon_kept_from(threshold)) ++threshold;
        kept_from = first_start + ribbon_kept_from(threshold);
        break;
      }
      placed_.push_back(slot);
    }
    for (; key < end && start_of(key) < kept_from; ++key) {
      if (placed_.back() != Banding::kRedundant) banding_.remove(placed_.back());
      placed_.pop_back();
    }
    for (std::size_t i = begin; i < key; ++i) bumped_.push_back(keys_.hashes[i] * kRibbonNextLevel);
    thresholds_[bucket / 4] |= static_cast<std::byte>(threshold << (2 * (bucket % 4)));
  }

  RibbonLevel level_;
  const LevelKeys& keys_;
  std::uint32_t mask_;
  std::byte* thresholds_;
  Banding banding_;
  Solver solver_;
  std::vector<std::uint64_t> placed_;  // the bucket's slots, in the order of placing
  std::vector<std::uint64_t>& bumped_;
};

/// All keys in one system, without thresholds.
bool band_all(Banding& banding, const RibbonLevel& level, const LevelKeys& keys, std::uint32_t mask) {
  banding.reset(0, level.slots());
  for (const std::uint64_t hash : keys.hashes) {
    const std::uint64_t slot = banding.add(mulhi(hash, level.starts()), ribbon_row(hash),
                                           ribbon_fingerprint(hash, keys.fingerprint_factor) & mask);
    if (slot == Banding::kFailed) return false;
  }
  return true;
}

class RibbonBuilder {
 public:
  RibbonBuilder(const RibbonColumns& columns, std::uint64_t keys) : columns_(columns), all_keys_(keys) {
    payload_.reserve(static_cast<std::size_t>(8 * ribbon_words(keys, columns)));
    payload_.resize(8);
  }

  Result<AlignedBytes> build(LevelKeys keys) && {
    while (keys.hashes.size() > kBaseKeys && levels_ + 1 < kMaxRibbonLevels) {
      const RibbonLevel level(ribbon_level_blocks(keys.hashes.size()), columns_, false);
      std::vector<std::uint64_t> bumped;
      LevelBuilder(level, columns_.most(), keys, append(level), bumped).build();
      keys = {std::move(bumped), keys.fingerprint_factor * kPreviousLevel};
      std::sort(keys.hashes.begin(), keys.hashes.end());
    }
    if (!build_base(std::move(keys))) {
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

  bool build_base(LevelKeys keys) {
    const unsigned most = columns_.most();
    const std::uint32_t mask = most == 32 ? UINT32_MAX : (std::uint32_t{1} << most) - 1;
    const std::uint64_t enough = 4 * base_blocks(keys.hashes.size());
    Banding banding;
    for (std::uint64_t blocks = base_blocks(keys.hashes.size()); blocks <= enough; blocks += 1 + blocks / 32) {
      const RibbonLevel level(blocks, columns_, true);
      LevelKeys seeded = keys;
      for (base_seed_ = 0; base_seed_ < kSeedsPerSize; ++base_seed_) {
        if (band_all(banding, level, seeded, mask)) {
          std::byte* at = append(level);
          store_le(at, level.blocks);
          Solver(level, most, at + 8).solve(banding);
          return true;
        }
        for (std::uint64_t& hash : seeded.hashes) hash *= kRibbonNextLevel;
        seeded.fingerprint_factor *= kPreviousLevel;
        std::sort(seeded.hashes.begin(), seeded.hashes.end());
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
    keys -= std::min(keys, level.slots() - level.slots() / kEmptySlots);
    keys += kEmptyAtEnd;
  }
  return words + RibbonLevel(base_blocks(keys), columns, true).words();
}

Result<AlignedBytes> build_ribbon(const RibbonColumns& columns, std::span<const std::uint64_t> hashes) {
  LevelKeys keys{{hashes.begin(), hashes.end()}, kRibbonFingerprint};
  std::sort(keys.hashes.begin(), keys.hashes.end());
  keys.hashes.erase(std::unique(keys.hashes.begin(), keys.hashes.end()), keys.hashes.end());
  const std::uint64_t distinct = keys.hashes.size();
  return RibbonBuilder(columns, distinct).build(std::move(keys));
}

}  // namespace crivo
