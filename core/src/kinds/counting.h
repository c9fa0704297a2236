// The counting Bloom filter: blocked's positions with four-bit counters, so that keys can be removed.
// Papers: Fan, Cao, Almeida & Broder 2000, "Summary cache: a scalable wide-area web cache sharing protocol";
// Putze, Sanders & Singler 2007 for the blocks.
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Counting {
  static constexpr Kind kKind = Kind::kCounting;
  static constexpr std::string_view kName = "counting";
  static constexpr const char* kUnitName = "number of blocks";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Probe probe(const Shape& shape) noexcept;
  /// Counters: how many there are, and how many are above 0.
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static Result<void> remove(Store store, std::uint64_t hash);
  static void unite(Store into, const View& other) noexcept;
};

}  // namespace crivo
