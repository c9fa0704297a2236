// The blocked Bloom filter: a key's k bits lie in one block of 512 bits, which is one cache line and one vector
// register. A query therefore costs one cache miss instead of k, and a few vector instructions. The price is a higher
// rate: blocks get different numbers of keys, and full ones answer "maybe" more often.
// Paper: Putze, Sanders & Singler 2007, "Cache-, hash- and space-efficient Bloom filters".
#pragma once

#include "kinds/kind.h"
#include "layout/block.h"

namespace crivo {

struct Blocked {
  static constexpr Kind kKind = Kind::kBlocked;
  static constexpr std::string_view kName = "blocked";
  static constexpr std::size_t kBytesOfBlock = kBlockBytes;
  static constexpr bool kEveryPayloadIsValid = true;
  static constexpr const char* kUnitName = "number of blocks";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Probe probe(const Shape& shape) noexcept;
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static std::uint64_t bit_array_bits(const Shape& shape) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static Result<void> add_many(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               std::pmr::memory_resource* memory);
  static void unite(Store into, const View& other) noexcept;
  static void intersect(Store into, const View& other) noexcept;
};

}  // namespace crivo
