// Hash compaction: a hash table with open addressing that keeps a value of a few bits of each key's hash instead of the
// key. A key's hash gives the first slot, and its value gives the step from one slot to the next. The values along a
// sequence of slots stand in descending order: a value that is added takes the first slot on its way that holds a
// smaller one (an empty slot holds 0), and the smaller value moves on by its own step. So the search for a value ends
// at the first slot that holds a smaller one, which it meets early.
// Papers: Wolper & Leroy 1993, "Reliable hashing without collision detection"; the order of the slots, which ends the
// search for an absent key early, is from Amble & Knuth 1974, "Ordered hash tables".
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct HashCompaction {
  static constexpr Kind kKind = Kind::kHashCompaction;
  static constexpr std::string_view kName = "hash_compaction";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of slots";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
};

}  // namespace crivo
