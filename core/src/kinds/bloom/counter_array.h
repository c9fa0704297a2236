// An array of counters of 1, 2, 4, 8, 16 or 32 bits, as in the payload of `spectral` (docs/format.md). With counters of
// 1 bit, it is a bit array, as in `classic`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/portable.h"
#include "crivo/host/bytes.h"
#include "crivo/types.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/sizes.h"
#include "kinds/collisions.h"

namespace crivo {

/// The value at which a counter of `width` bits saturates.
constexpr std::uint64_t largest_count(unsigned width) noexcept { return (std::uint64_t{1} << width) - 1; }

/// The position of a counter: the offset of its 8-byte word, and the shift in this word. The width divides 64, so no
/// counter straddles words.
struct CounterPlace {
  std::uint64_t byte;
  unsigned shift;
  CounterPlace(std::uint64_t counter, unsigned width) noexcept
      : byte(counter * width / 64 * 8), shift(static_cast<unsigned>(counter * width % 64)) {}

  [[nodiscard]] std::uint64_t load(const std::byte* word, unsigned width) const noexcept {
    return load_le<std::uint64_t>(word) >> shift & largest_count(width);
  }
  /// Adds to the counter in its word. The sum must not exceed the largest value.
  void raise(std::byte* word, std::uint64_t by) const noexcept {
    store_le(word, load_le<std::uint64_t>(word) + (by << shift));
  }
};

/// The statistics of a filter with `set` counters that are not 0.
inline Stats stats_of_positions(const Shape& shape, std::uint64_t set) noexcept {
  const auto units = static_cast<double>(shape.units);
  const double fill = static_cast<double>(set) / units;
  Stats stats{.bits = shape.units, .bits_set = set, .current_fp_rate = portable::integer_power(fill, shape.k)};
  if (set == shape.units) return stats;
  const double keys = classic_cardinality(units, static_cast<double>(set), shape.k);
  stats.current_fp_rate += (1 - stats.current_fp_rate) * related_hash_rate(fill, keys, shape.k);
  stats.cardinality = keys;
  return stats;
}

/// The smallest of a key's counters, each read by `load(place)`.
template <class Load>
std::uint64_t smallest_counter(const Shape& shape, unsigned width, std::uint64_t hash, const Load& load) {
  std::uint64_t smallest = largest_count(width);
  Positions positions(hash, shape.units);
  for (unsigned i = 0; i < shape.k && smallest != 0; ++i) {
    smallest = std::min<std::uint64_t>(smallest, load(CounterPlace(positions.next(), width)));
  }
  return smallest;
}

/// Adds a key `times` times; `smallest` is the smallest of its counters. Each addition increments only the smallest
/// counters, so all counters become at least smallest + times, or saturate. `raise(place, by)` adds to a counter.
template <class Load, class Raise>
void raise_smallest(const Shape& shape, unsigned width, std::uint64_t hash, std::uint64_t smallest, std::uint64_t times,
                    const Load& load, const Raise& raise) {
  const std::uint64_t raised = smallest + std::min(times, largest_count(width) - smallest);
  Positions positions(hash, shape.units);
  for (unsigned i = 0; i < shape.k; ++i) {
    const CounterPlace place(positions.next(), width);
    const std::uint64_t value = load(place);
    if (value < raised) raise(place, raised - value);
  }
}

}  // namespace crivo
