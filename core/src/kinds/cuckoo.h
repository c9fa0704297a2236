// The cuckoo filter: a hash table that keeps a short fingerprint of each key instead of the key, so that keys can be
// removed again. A bucket has four slots, and each key has two buckets, either of which may hold its fingerprint. The
// second bucket follows from the first and the fingerprint alone, so a fingerprint can be moved between the two
// although its key is unknown. If both buckets of a new key are full, fingerprints are moved to their other buckets
// until a slot is free; if that does not succeed, the filter is full. A key that is added several times takes a slot
// each time, of the eight that its buckets have.
// Paper: Fan, Andersen, Kaminsky & Mitzenmacher 2014, "Cuckoo filter: practically better than Bloom".
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Cuckoo {
  static constexpr Kind kKind = Kind::kCuckoo;
  static constexpr std::string_view kName = "cuckoo";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of buckets";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  /// The copies of the key's fingerprint in its two buckets.
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept;
  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added);
  static Result<void> remove(Store store, std::uint64_t hash);
};

}  // namespace crivo
