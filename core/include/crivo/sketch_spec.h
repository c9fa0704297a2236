// The specification of a sketch (crivo/sketch.h): its length and the type of its keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// The form in which a sketch stores and returns keys. Values are part of the format.
enum class SketchKeys : std::uint8_t {
  kHashes = 0,    // the 64-bit hash of a key of any length (hash_key with the sketch's seed)
  kBytes = 1,     // the key itself, of key_bytes bytes
  kIntegers = 2,  // the key itself, a 64-bit integer
};

/// The maximum of key_bytes in a sketch of kBytes.
inline constexpr unsigned kMaxSketchKeyBytes = 32;
/// All symbol numbers are below kMaxSketchSymbols.
inline constexpr std::uint64_t kMaxSketchSymbols = std::uint64_t{1} << 32;

/// Two sketches are comparable if their specifications differ only in `symbols`.
struct SketchSpec {
  std::uint64_t symbols = 0;  // the number of symbols, 1 to 2^32 - first; see sketch_symbols()
  std::uint64_t first = 0;    // the number of the first symbol, to continue another sketch
  SketchKeys keys = SketchKeys::kHashes;
  unsigned key_bytes = 8;  // 1 to 32 for kBytes, else 8
  /// The seed of all hashes. An attacker who knows the seed can choose keys that make decoding fail. For untrusted
  /// keys, draw a new seed for each exchange after the keys are fixed. A new seed is no guarantee, because XXH3 is not
  /// a cryptographic hash, and a sketch's blob contains the seed.
  std::uint64_t seed = 0;

  friend bool operator==(const SketchSpec&, const SketchSpec&) = default;
};

/// Sets keys and key_bytes from text: "hashes", "integers", or "bytes:" and a number. Errors: kBadArgument.
Result<void> choose_sketch_keys(SketchSpec& spec, std::string_view text);
/// The inverse of choose_sketch_keys.
[[nodiscard]] std::string sketch_keys_text(const SketchSpec& spec);

/// The number of symbols that suffices to decode a difference of this many keys, up to 3 * 10^9, in at least 997 of
/// 1,000 cases: 1.36 * difference + 5 * sqrt(difference) + 25. tests/unit/sketch_test.cpp checks this.
[[nodiscard]] std::uint64_t sketch_symbols(std::uint64_t difference) noexcept;

}  // namespace crivo
