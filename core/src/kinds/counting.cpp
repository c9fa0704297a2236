#include "kinds/counting.h"

#include <algorithm>
#include <bit>

#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "kinds/block_stats.h"
#include "kinds/plan.h"
#include "layout/counter_block.h"
#include "simd/kernels.h"

namespace crivo {
namespace {

// This makes a payload of 2^47 bytes, the largest power of two that the 48-bit field of the header can state.
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

}  // namespace

Result<Shape> Counting::plan(const FilterSpec& spec) {
  return plan_by_size(spec, kKind, kBlockBits, &size_blocked, &best_blocked_probes, kCounterPlanes);
}

Result<std::uint64_t> Counting::payload_bytes(const Shape& shape) {
  if (auto valid = check_shape(shape, kMaxBlockedProbes, kMaxCounterBlocks, kUnitName); !valid) return valid.error();
  return shape.units * kCounterBlockBytes;
}

Probe Counting::probe(const Shape&) noexcept { return kernels().counting; }

Stats Counting::stats(const View& view) noexcept {
  return stats_of_blocks(view.shape, [&view](std::uint64_t block) {
    return counters_above_zero(view.payload + block * kCounterBlockBytes);
  });
}

double Counting::predicted_fp_rate(const Shape& shape, double keys) noexcept {
  return blocked_fp_rate(static_cast<double>(shape.units), keys, shape.probes);
}

Result<void> Counting::add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
  // This is portable code. A version for AVX2 was no faster: it had to make the mask in registers, as a wide load of a
  // mask that was written to memory word by word stalls.
  constexpr std::size_t kAhead = 16;
  std::byte* payload = store.payload.data();
  const std::uint64_t blocks = store.shape.units;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) prefetch_block<kCounterPlanes>(payload, mulhi(hashes[i + kAhead], blocks));
    const BlockKey key(hashes[i], blocks);
    const PositionMask mask(key, store.shape.probes);
    change_block(payload + key.block * kCounterBlockBytes,
                 [&mask](CounterWord& counters, std::size_t word) { counters.raise(mask.words[word]); });
  }
  added += hashes.size();
  return {};
}

Result<void> Counting::remove(Store store, std::uint64_t hash) {
  const BlockKey key(hash, store.shape.units);
  const PositionMask mask(key, store.shape.probes);
  std::byte* block = store.payload.data() + key.block * kCounterBlockBytes;
  for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
    if ((mask.words[word] & ~CounterWord(block, word).above_zero()) != 0) {
      return error(ErrorCode::kNotFound, "key must be in the filter, got one that is not");
    }
  }
  change_block(block, [&mask](CounterWord& counters, std::size_t word) { counters.lower(mask.words[word]); });
  return {};
}

std::uint64_t Counting::count(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  const PositionMask mask(key, view.shape.probes);
  const std::byte* block = view.payload + key.block * kCounterBlockBytes;
  unsigned smallest = kMaxCounter;
  for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
    if (mask.words[word] == 0) continue;
    smallest = std::min(smallest, CounterWord(block, word).smallest(mask.words[word]));
  }
  return smallest;
}

Result<void> Counting::add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added) {
  std::uint64_t raised = 0;
  while (raised < std::min<std::uint64_t>(times, kMaxCounter)) (void)add(store, {&hash, 1}, raised);
  added += times;  // after so many times all counters are saturated, and more of them change nothing
  return {};
}

void Counting::unite(Store into, const View& other) noexcept {
  for (std::uint64_t block = 0; block < into.shape.units; ++block) {
    std::byte* ours = into.payload.data() + block * kCounterBlockBytes;
    const std::byte* theirs = other.payload + block * kCounterBlockBytes;
    change_block(ours, [theirs](CounterWord& counters, std::size_t word) { counters.add(CounterWord(theirs, word)); });
  }
}

}  // namespace crivo
