// The counting Bloom filter: it has a counter of four bits where a blocked filter has a bit, so that keys can be
// removed. To add a key raises the counters at its positions, to remove it lowers them, and a key may be in the filter
// if all of them are above 0. A counter that has reached 15 is saturated: nobody knows its true value, so it is never
// lowered again.
// Papers: Fan, Cao, Almeida & Broder 2000, "Summary cache: a scalable wide-area web cache sharing protocol"; Putze,
// Sanders & Singler 2007 for the blocks.
#pragma once

#include "kinds/kind.h"
#include "layout/counter_block.h"

namespace crivo {

struct Counting {
  static constexpr Kind kKind = Kind::kCounting;
  static constexpr std::string_view kName = "counting";
  static constexpr std::size_t kBytesOfBlock = kCounterBlockBytes;
  static constexpr bool kEveryPayloadIsValid = true;
  static constexpr const char* kUnitName = "number of blocks";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Probe probe(const Shape& shape) noexcept;
  /// Stats::bits is the number of counters, and Stats::bits_set the number of those above 0.
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  static Result<void> remove(Store store, std::uint64_t hash);
  /// The smallest of the key's counters: never too low, but 15 means that nobody knows.
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept;
  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added);
  static void unite(Store into, const View& other) noexcept;
};

}  // namespace crivo
