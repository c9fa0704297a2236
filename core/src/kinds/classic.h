// The classic Bloom filter: an array of m bits, and k positions in it that follow from a key's 64-bit hash. To add a
// key sets the bits at its positions; a key may be in the filter if all of them are set. It takes the fewest bits of
// the Bloom filters here, but each position may cost a cache miss. The option `compressed` makes it larger in memory
// and sparser, so that its compressed blob is smaller (Mitzenmacher 2002).
// Paper: Bloom 1970, "Space/time trade-offs in hash coding with allowable errors".
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Classic {
  static constexpr Kind kKind = Kind::kClassic;
  static constexpr std::string_view kName = "classic";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of bits";
  static constexpr std::string_view kOption = "compressed";
  static constexpr std::string_view kOptionAlias = kOption;

  static std::optional<unsigned> parse_option(std::string_view text);
  static std::string option_text(unsigned option);
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static unsigned position_bits(const Shape& shape) noexcept;
  static Probe probe(const Shape& shape) noexcept;
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static std::uint64_t bit_array_bits(const Shape& shape) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static void unite(Store into, const View& other) noexcept;
  static void intersect(Store into, const View& other) noexcept;
};

}  // namespace crivo
