#include "sketch/keys.h"

#include <cstring>

#include "base/error_text.h"
#include "crivo/hash.h"

namespace crivo {

Result<void> check_sketch(const SketchSpec& spec, ErrorCode code) {
  const bool is_short = spec.keys == SketchKeys::kBytes;
  if (spec.keys > SketchKeys::kIntegers) {
    return error(code, "keys must be 0 (hashes), 1 (bytes) or 2 (integers), got ", static_cast<unsigned>(spec.keys));
  }
  if (spec.key_bytes < (is_short ? 1U : 8U) || spec.key_bytes > (is_short ? kMaxSketchKeyBytes : 8U)) {
    return error(code, "key_bytes must ", is_short ? "be in [1, 32]" : "be 8 for hashes and integers", ", got ",
                 spec.key_bytes);
  }
  if (spec.first >= kMaxSketchSymbols) {
    return error(code, "first must be below ", kMaxSketchSymbols, ", got ", spec.first);
  }
  const std::uint64_t most = kMaxSketchSymbols - spec.first;
  if (spec.symbols < 1 || spec.symbols > most) {
    return error(code, "symbols must be in [1, ", most, "], got ", spec.symbols);
  }
  return {};
}

Result<SymbolKey> known_as(const SketchSpec& spec, std::string_view key) {
  if (spec.keys == SketchKeys::kHashes) return symbol_key(hash_key(key, spec.seed));
  if (spec.keys == SketchKeys::kIntegers) return bad_argument("key must be an integer, got a string of bytes");
  if (key.size() != spec.key_bytes) {
    return bad_argument("key must have the ", spec.key_bytes, " bytes of the sketch's keys, got ", key.size());
  }
  SymbolKey known{};
  std::memcpy(known.data(), key.data(), key.size());
  return known;
}

Result<void> check_numbers(const SketchSpec& spec) {
  if (spec.keys != SketchKeys::kBytes) return {};
  return bad_argument("keys must be hashes or integers, got strings of ", spec.key_bytes, " bytes");
}

}  // namespace crivo
