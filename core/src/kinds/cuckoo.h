// The cuckoo filter: buckets of four fingerprints, two buckets per key, so that keys can be removed again.
// Paper: Fan, Andersen, Kaminsky & Mitzenmacher 2014, "Cuckoo filter: practically better than Bloom".
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Cuckoo {
  static constexpr Kind kKind = Kind::kCuckoo;
  static constexpr std::string_view kName = "cuckoo";
  static constexpr const char* kUnitName = "number of buckets";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static Result<void> remove(Store store, std::uint64_t hash);
};

}  // namespace crivo
