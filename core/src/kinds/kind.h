// The interface of a kind: one row of functions. A kind is a plain class with static functions; make_row() finds which
// it has, and what it lacks it cannot do: a capability is never declared twice.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"
#include "simd/probe.h"
#include "sizing/collisions.h"

namespace crivo {

/// A shape and the payload that goes with it, while a filter is being changed.
struct Store {
  Shape& shape;
  AlignedBytes& payload;
  [[nodiscard]] View view() const noexcept { return {shape, payload.data(), payload.size()}; }
};

class BuildTask;  // a build while it runs; base/build_task.h

struct KindRow {
  KindInfo info;
  const char* unit_name;  // what Shape::units counts, for messages

  /// Spec to shape. Errors: kBadArgument naming the field.
  Result<Shape> (*plan)(const FilterSpec&);
  /// The payload's size. Errors: kCorrupt when k, param or units are not allowed; never overflows.
  Result<std::uint64_t> (*payload_bytes)(const Shape&);
  /// What else must hold of a payload of that size, such as clear padding.
  Result<void> (*validate)(const View&);
  Probe (*probe)(const Shape&) noexcept;
  /// Sets View::prepared; null where there is nothing to prepare.
  void (*prepare)(View&) noexcept;
  Stats (*stats)(const View&) noexcept;
  double (*predicted_fp_rate)(const View&, double keys) noexcept;
  /// Bits in a payload that is an array of bits set at random, for which gap coding is the better compression; null
  /// for any other payload.
  std::uint64_t (*bit_array_bits)(const Shape&) noexcept;

  // Null for a kind without an option.
  /// FilterSpec::option from what stands behind the colon; nothing if that is no option at all. plan() knows the range.
  std::optional<unsigned> (*parse_option)(std::string_view text);
  /// What parse_option takes for an option, 0 being the default; empty where the name alone says it.
  std::string (*option_text)(unsigned option);
  /// The option of a stored filter; null too for an option that only decided on the size.
  unsigned (*option_of)(const Shape&) noexcept;

  // Null where there is nothing to do: a payload of zeros is a new filter of most kinds.
  /// Writes what a new payload, all zeros, holds before the first key.
  void (*start)(Store, const FilterSpec&);
  /// Back to no keys.
  void (*clear)(Store);
  /// What a new filter that was sized by bits per key promises of absent hashes, from its shape or, where there is a
  /// start(), from what that wrote; where null, predicted_fp_rate at capacity.
  double (*promised_fp_rate)(const View&) noexcept;

  // Null where a kind cannot do it.
  /// The payload of a kind that is built once, from all its hashes, any order, duplicates allowed. Sets shape.units to
  /// what these hashes need, and may give it more columns than were planned. Errors: kTooLarge before anything is
  /// allocated for a payload beyond max_bytes.
  Result<AlignedBytes> (*build)(Shape& shape, std::span<const std::uint64_t> hashes, std::uint64_t max_bytes,
                                BuildTask&);
  /// Adds hashes in order and counts them in `added`; stops at the first that fails. Null for a kind that grows.
  Result<void> (*add)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  /// The same for a kind that grows. Errors: kTooLarge, before a payload beyond max_bytes is allocated.
  Result<void> (*add_and_grow)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               std::uint64_t max_bytes);
  /// What a build calls instead of add, so that the memory it takes beside the payload counts; null where it takes
  /// none.
  Result<void> (*add_many)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                           std::pmr::memory_resource* memory);
  /// Errors: kNotFound, unchanged.
  Result<void> (*remove)(Store, std::uint64_t hash);
  std::uint64_t (*count)(const View&, std::uint64_t hash) noexcept;
  void (*unite)(Store into, const View& other) noexcept;
  void (*intersect)(Store into, const View& other) noexcept;
};

/// What a kind must have; make_row() finds what it has beside this.
template <class K>
concept FilterKind = requires(const FilterSpec& spec, const Shape& shape, const View& view) {
  { K::kKind } -> std::convertible_to<Kind>;
  { K::kName } -> std::convertible_to<std::string_view>;
  { K::kUnitName } -> std::convertible_to<const char*>;
  { K::plan(spec) } -> std::same_as<Result<Shape>>;
  { K::payload_bytes(shape) } -> std::same_as<Result<std::uint64_t>>;
  { K::probe(shape) } -> std::same_as<Probe>;
  { K::stats(view) } -> std::same_as<Stats>;
};

template <FilterKind K>
constexpr KindRow make_row() {
  KindRow row{};
  row.info = {.kind = K::kKind, .name = K::kName, .option = {}, .alias = {}, .can = {}};
  if constexpr (requires { K::kOption; }) {
    row.info.option = K::kOption;
    row.parse_option = &K::parse_option;
    row.option_text = &K::option_text;
    if constexpr (requires { &K::option_of; }) row.option_of = &K::option_of;
  }
  if constexpr (requires { K::kOptionAlias; }) row.info.alias = K::kOptionAlias;
  row.unit_name = K::kUnitName;
  row.plan = &K::plan;
  row.payload_bytes = &K::payload_bytes;
  row.validate = [](const View& view) -> Result<void> {
    if constexpr (requires { K::validate(view); }) return K::validate(view);
    return {};  // any payload of the right size will do
  };
  row.probe = &K::probe;
  if constexpr (requires { &K::prepare; }) row.prepare = &K::prepare;
  // The kinds know hashes; that different keys may have the same one is added here, for all of them.
  row.stats = [](const View& view) noexcept {
    Stats stats = K::stats(view);
    stats.fp_rate = with_collisions(stats.fp_rate, stats.cardinality.value_or(0));
    return stats;
  };
  row.predicted_fp_rate = [](const View& view, double keys) noexcept {
    if constexpr (requires { K::predicted_fp_rate(view, keys); }) {
      return with_collisions(K::predicted_fp_rate(view, keys), keys);
    } else {
      return with_collisions(K::predicted_fp_rate(view.shape, keys), keys);  // for most kinds the shape says it all
    }
  };
  if constexpr (requires { &K::bit_array_bits; }) row.bit_array_bits = &K::bit_array_bits;
  if constexpr (requires { &K::start; }) row.start = &K::start;
  if constexpr (requires { &K::clear; }) row.clear = &K::clear;
  if constexpr (requires { &K::promised_fp_rate; }) row.promised_fp_rate = &K::promised_fp_rate;
  if constexpr (requires { &K::build; }) row.build = &K::build;
  if constexpr (requires { &K::add; }) row.add = &K::add;
  if constexpr (requires { &K::add_and_grow; }) row.add_and_grow = &K::add_and_grow;
  if constexpr (requires { &K::add_many; }) row.add_many = &K::add_many;
  if constexpr (requires { &K::remove; }) row.remove = &K::remove;
  if constexpr (requires { &K::count; }) row.count = &K::count;
  if constexpr (requires { &K::unite; }) row.unite = &K::unite;
  if constexpr (requires { &K::intersect; }) row.intersect = &K::intersect;
  // Not by comparing the pointers above with null, which GCC does not take for a constant under its sanitizers.
  row.info.can.add = requires { &K::add; }
  || requires { &K::add_and_grow; };
  row.info.can.remove = requires { &K::remove; };
  row.info.can.count = requires { &K::count; };
  row.info.can.unite = requires { &K::unite; };
  row.info.can.intersect = requires { &K::intersect; };
  row.info.can.grow = requires { &K::add_and_grow; };
  return row;
}

}  // namespace crivo
