// What a sketch is to be (crivo/sketch.h): its length and its keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// What a sketch knows of its keys, and gives back. Values are part of the format.
enum class SketchKeys : std::uint8_t {
  kHashes = 0,    // the 64-bit hash of a key of any length (hash_key, with the sketch's seed)
  kBytes = 1,     // the key itself, a string of key_bytes bytes
  kIntegers = 2,  // the key itself, an integer of 64 bits
};

/// The most bytes of a key that a sketch gives back.
inline constexpr unsigned kMaxSketchKeyBytes = 32;
/// A sketch's symbols have numbers below this.
inline constexpr std::uint64_t kMaxSketchSymbols = std::uint64_t{1} << 32;

/// What a new sketch is to be. Two sketches are compared if all but symbols is the same.
struct SketchSpec {
  std::uint64_t symbols = 0;  // how many: 1 to 2^32 - first; sketch_symbols() says how many a difference needs
  std::uint64_t first = 0;    // the number of the first one, where the sketch continues another
  SketchKeys keys = SketchKeys::kHashes;
  unsigned key_bytes = 8;  // kBytes: 1 to 32; the others have 8
  std::uint64_t seed = 0;  // of all hashes. Who knows it can choose keys that spoil a sketch: where keys come from
                           // strangers, it is drawn after them, a new one for each exchange. XXH3 is no cryptographic
                           // hash, so this is no proof; and a sketch's blob has its seed

  friend bool operator==(const SketchSpec&, const SketchSpec&) = default;
};

/// Sets keys and key_bytes from what users write: "hashes", "integers", or "bytes:" and their number. Errors:
/// kBadArgument.
Result<void> choose_sketch_keys(SketchSpec& spec, std::string_view text);
/// The text for a spec's keys.
[[nodiscard]] std::string sketch_keys_text(const SketchSpec& spec);

/// So many symbols decode a difference of so many keys, up to 3 * 10^9, in at least 997 of 1,000 cases (measured:
/// `./dev bench sketch`): 1.36 for each key, and 5 for each of their square root, and 25.
[[nodiscard]] std::uint64_t sketch_symbols(std::uint64_t difference) noexcept;

}  // namespace crivo
