// What the classes of sketches share: which specs are allowed, and how the keys that users give become those of
// symbols.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/sketch_spec.h"
#include "sketch/symbols.h"

namespace crivo {

/// Makes an error of the caller's arguments, or of a blob's fields.
[[nodiscard]] Result<void> check_sketch(const SketchSpec& spec, ErrorCode code);

/// The key by which a sketch knows this string, or an error of its argument.
[[nodiscard]] Result<SymbolKey> known_as(const SketchSpec& spec, std::string_view key);
/// An error for a sketch that knows no numbers.
[[nodiscard]] Result<void> check_numbers(const SketchSpec& spec);

[[nodiscard]] inline SymbolKey symbol_key(std::uint64_t number) noexcept {
  SymbolKey key{};
  store_le(key.data(), number);
  return key;
}

[[nodiscard]] inline std::size_t symbol_bytes(const SketchSpec& spec) noexcept {
  return kSymbolCheckBytes + spec.key_bytes;
}

}  // namespace crivo
