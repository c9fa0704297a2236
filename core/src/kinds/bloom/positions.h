// The k positions of a key, for the kinds that choose them as `classic` does (docs/format.md, "classic").
// docs/design.md, "Positions of classic", compares alternatives.
#pragma once

#include <cstdint>

#include "base/error_text.h"
#include "base/math128.h"
#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr unsigned kMaxClassicProbes = 64;

/// The positions of one key among `units` units. Position i is mulhi(h M^i, units), where h M^i is a state of a
/// multiplicative congruential generator that starts from the hash h.
class Positions {
 public:
  Positions() noexcept = default;
  Positions(std::uint64_t hash, std::uint64_t units) noexcept : next_(hash), units_(units) {}
  std::uint64_t next() noexcept {
    const std::uint64_t position = mulhi(next_, units_);
    next_ *= kMultiplier;
    return position;
  }

 private:
  /// The multiplier M, for the modulus 2^64. Source: Steele & Vigna 2022, "Computationally easy, spectrally good
  /// multipliers".
  static constexpr std::uint64_t kMultiplier = 0xF1357AEA2E62A9C5;

  std::uint64_t next_;
  std::uint64_t units_;
};

/// Checks that the bits of the last word after the payload's first `used_bits` bits are 0. Errors: kCorrupt.
inline Result<void> check_padding(const View& view, std::uint64_t used_bits) {
  const unsigned used = static_cast<unsigned>(used_bits % 64);
  if (used == 0) return {};
  const auto last = load_le<std::uint64_t>(view.payload + view.payload_bytes - 8);
  if (last >> used != 0) return corrupt("padding bits of the payload must be 0, got ", last >> used);
  return {};
}

}  // namespace crivo
