// The counting Bloom filter: a blocked filter with counters of four bits instead of bits, so that keys can be removed.
// Adding a key increments the counters at its positions; removing the key decrements them. A key may be in the filter
// if all of its counters are above 0. A counter that reaches 15 is saturated: its true value is unknown, so it is never
// decremented.
// Papers: Fan, Cao, Almeida & Broder 2000, "Summary cache: a scalable wide-area web cache sharing protocol"; Putze,
// Sanders & Singler 2007 for the blocks.
#include <algorithm>
#include <bit>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "kinds/bloom/block_stats.h"
#include "kinds/bloom/counter_block.h"
#include "kinds/bloom/kernels.h"
#include "kinds/bloom/pages.h"
#include "kinds/bloom/parts.h"
#include "kinds/bloom/shape.h"
#include "kinds/isa.h"
#include "kinds/kind.h"

namespace crivo {
namespace {

// This limit gives a payload of 2^47 bytes, the largest power of two in the header's 48-bit field.
constexpr std::uint64_t kMaxCounterBlocks = std::uint64_t{1} << 39;

std::uint64_t counters_above_zero(const std::byte* block) noexcept {
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
    count += static_cast<std::uint64_t>(std::popcount(CounterWord(block, word).above_zero()));
  }
  return count;
}

/// Applies `change(counters, word)` to all counters of a block, 64 at a time.
template <class Change>
void change_block(std::byte* block, const Change& change) noexcept {
  for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
    CounterWord counters(block, word);
    change(counters, word);
    counters.store(block, word);
  }
}

struct Counting {
  static constexpr Kind kKind = Kind::kCounting;
  static constexpr std::string_view kName = "counting";
  static constexpr std::size_t kBytesOfBlock = kCounterBlockBytes;
  static constexpr bool kEveryPayloadIsValid = true;
  static constexpr const char* kUnitName = "number of blocks";

  static Result<Shape> plan(const FilterSpec& spec) {
    return plan_by_size(spec, kKind, kBlockBits, &size_blocked, &best_blocked_probes, kCounterPlanes);
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (auto valid = check_shape(shape, kMaxBlockedProbes, kMaxCounterBlocks, kUnitName); !valid) return valid.error();
    return shape.units * kCounterBlockBytes;
  }

  static Probe probe(const Shape&) noexcept { return kernels_in_use<BlockedKernels>().counting; }

  /// Stats::bits is the number of counters, and Stats::bits_set the number of counters above 0.
  static Stats stats(const View& view) noexcept {
    return stats_of_blocks(view.shape, [&view](std::uint64_t block) {
      return counters_above_zero(view.payload + block * kCounterBlockBytes);
    });
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return blocked_fp_rate(static_cast<double>(shape.units), keys, shape.k);
  }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    // An AVX2 version was not faster: store forwarding fails for a wide load of a mask that was written word by word.
    constexpr std::size_t kAhead = 16;
    std::byte* payload = store.payload.data();
    const std::uint64_t blocks = store.shape.units;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) prefetch_block<kCounterPlanes>(payload, mulhi(hashes[i + kAhead], blocks));
      const BlockKey key(hashes[i], blocks);
      const PositionMask mask(key, store.shape.k);
      change_block(payload + key.block * kCounterBlockBytes,
                   [&mask](CounterWord& counters, std::size_t word) { counters.raise(mask.words[word]); });
    }
    added += hashes.size();
    return {};
  }

  static Result<void> add_many(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               BuildTask& task) {
    add_in_parts(store.shape.units, hashes, task, [store](std::span<const std::uint64_t> part) {
      std::uint64_t counted = 0;
      (void)add(store, part, counted);
    });
    added += hashes.size();
    return {};
  }

  static Result<void> remove(Store store, std::uint64_t hash) {
    const BlockKey key(hash, store.shape.units);
    const PositionMask mask(key, store.shape.k);
    std::byte* block = store.payload.data() + key.block * kCounterBlockBytes;
    for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
      if ((mask.words[word] & ~CounterWord(block, word).above_zero()) != 0) {
        return error(ErrorCode::kNotFound, "key must be in the filter, got an absent key");
      }
    }
    change_block(block, [&mask](CounterWord& counters, std::size_t word) { counters.lower(mask.words[word]); });
    return {};
  }

  /// The smallest of the key's counters: if below 15, at least the true count. A result of 15 (saturated) means any
  /// count, because removals do not decrement a saturated counter.
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept {
    const BlockKey key(hash, view.shape.units);
    const PositionMask mask(key, view.shape.k);
    const std::byte* block = view.payload + key.block * kCounterBlockBytes;
    unsigned smallest = kMaxCounter;
    for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
      if (mask.words[word] == 0) continue;
      smallest = std::min(smallest, CounterWord(block, word).smallest(mask.words[word]));
    }
    return smallest;
  }

  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added) {
    std::uint64_t raised = 0;
    while (raised < std::min<std::uint64_t>(times, kMaxCounter)) (void)add(store, {&hash, 1}, raised);
    added += times;  // beyond kMaxCounter additions, the key's counters are saturated
    return {};
  }

  static void unite(Store into, const View& other) noexcept {
    for (std::uint64_t block = 0; block < into.shape.units; ++block) {
      std::byte* ours = into.payload.data() + block * kCounterBlockBytes;
      const std::byte* theirs = other.payload + block * kCounterBlockBytes;
      if (is_zero({theirs, kCounterBlockBytes})) continue;
      change_block(ours,
                   [theirs](CounterWord& counters, std::size_t word) { counters.add(CounterWord(theirs, word)); });
    }
  }
};

}  // namespace

constinit const KindRow kCounting = make_row<Counting>(&kPagingOf<KeyBlock<Counting>>);

}  // namespace crivo
