// The spectral Bloom filter, which answers how many times a key was added. It has counters where the classic filter has
// bits, and the answer is the smallest of a key's k counters. To add a key raises only those of its counters that are
// the smallest ("minimum increase"), because the others already count other keys, too. That makes the answers much more
// exact, but keys cannot be removed.
// Paper: Cohen & Matias 2003, "Spectral Bloom filters". Estan & Varghese 2002 call the rule conservative update.
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Spectral {
  static constexpr Kind kKind = Kind::kSpectral;
  static constexpr std::string_view kName = "spectral";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of counters";
  static constexpr std::string_view kOption = "counter bits: 4, 8, 16 or 32";

  static std::optional<unsigned> parse_option(std::string_view text);
  static std::string option_text(unsigned option);
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static unsigned position_bits(const Shape& shape) noexcept;
  static Probe probe(const Shape& shape) noexcept;
  /// Stats::bits is the number of counters, and Stats::bits_set the number of those above 0.
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept;
  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added);
};

}  // namespace crivo
