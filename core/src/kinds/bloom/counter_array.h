// An array of counters of 1, 2, 4, 8, 16 or 32 bits, as in the payload of `spectral` (docs/format.md). With 1 bit it is
// a bit array, as in `classic`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/host/bytes.h"

namespace crivo {

/// The value at which a counter of `width` bits saturates.
constexpr std::uint64_t largest_count(unsigned width) noexcept { return (std::uint64_t{1} << width) - 1; }

/// The position of a counter, in the word of 8 bytes at offset `byte`. The width divides 64, so no counter straddles
/// words.
struct CounterPlace {
  std::uint64_t byte;
  unsigned shift;
  CounterPlace(std::uint64_t counter, unsigned width) noexcept
      : byte(counter * width / 64 * 8), shift(static_cast<unsigned>(counter * width % 64)) {}

  [[nodiscard]] std::uint64_t load(const std::byte* word, unsigned width) const noexcept {
    return load_le<std::uint64_t>(word) >> shift & largest_count(width);
  }
  /// Adds to the counter in its word. The sum must not exceed the largest value.
  void raise(std::byte* word, std::uint64_t by = 1) const noexcept {
    store_le(word, load_le<std::uint64_t>(word) + (by << shift));
  }
};

}  // namespace crivo
