// Shared by the classes of sketches: the validation of specs, and the conversion of keys.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/sketch_spec.h"
#include "sketch/symbols.h"

namespace crivo {

/// `code` distinguishes invalid arguments from invalid fields of a blob.
[[nodiscard]] Result<void> check_sketch(const SketchSpec& spec, ErrorCode code);

/// The key as symbols store it. Errors: kBadArgument.
[[nodiscard]] Result<SymbolKey> known_as(const SketchSpec& spec, std::string_view key);
/// Errors: kBadArgument for a sketch of byte strings.
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
