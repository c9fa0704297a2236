// The spectral Bloom filter with minimum increase: how many times was this key added.
// Paper: Cohen & Matias 2003, "Spectral Bloom filters". Estan & Varghese 2002 call the rule conservative
// update.
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Spectral {
  static constexpr Kind kKind = Kind::kSpectral;
  static constexpr std::string_view kName = "spectral";
  static constexpr const char* kUnitName = "number of counters";
  static constexpr std::string_view kOption = "counter bits: 4, 8, 16 or 32";

  static std::optional<unsigned> parse_option(std::string_view text);
  static std::string option_text(unsigned option);
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  /// Counters: how many there are, and how many are above 0.
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept;
};

}  // namespace crivo
