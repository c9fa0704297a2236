// The interface of a kind of filter: a row of function pointers. A kind is a class that has only static members;
// make_row() makes the kind's row. The members that a kind defines determine its capabilities.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_gate.h"
#include "base/math128.h"
#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "crivo/host/compiled_for.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"
#include "kinds/collisions.h"
#include "kinds/paging.h"

namespace crivo {

/// The shape and the payload of a filter, for functions that change the filter.
struct Store {
  Shape& shape;
  AlignedBytes& payload;
  [[nodiscard]] View view() const noexcept { return {shape, payload.data(), payload.size()}; }
};

class BuildTask;  // a running build; build/build_task.h
template <class Record>
class RecordSource;  // the hashes of a build, in order; build/hash_source.h
template <class Record>
class StoredSource;
using HashSource = RecordSource<std::uint64_t>;
struct HashedValue;

/// The functions of a kind. Only plan, payload_bytes, set_option, validate and check_whole check their arguments.
struct KindRow {
  KindInfo info;
  const char* unit_name;  // the name of Shape::units in messages, such as "number of blocks"

  /// The shape of a filter with this spec. Errors: kBadArgument naming the field.
  Result<Shape> (*plan)(const FilterSpec&);
  /// The payload's size in bytes, computed without overflow. It is a positive multiple of 8. RocksDB's own filters have
  /// other sizes, so the size tells the two apart (plugins/rocksdb/policy/reader.cpp). Errors: kCorrupt for an invalid
  /// k, parameter or number of units.
  Result<std::uint64_t> (*payload_bytes)(const Shape&);
  /// Checks a payload of payload_bytes() bytes, for example that padding bits are 0. Errors: kCorrupt.
  Result<void> (*validate)(const View&);
  /// Checks what validate() leaves out, for a payload that is read as a whole. Null if there is nothing more to check.
  /// Even without this check, no function accesses memory outside the payload. Errors: kCorrupt.
  Result<void> (*check_whole)(const View&);
  Probe (*probe)(const Shape&) noexcept;
  /// Sets View::prepared (kinds/prepared.h). Null if the kind has nothing to prepare.
  void (*prepare)(View&) noexcept;

  // A payload in a mapped file is verified only where it is read. The next three functions pass to the gate the bytes
  // that other functions will read. Call each one before the functions that its comment names. They return false if the
  // gate refuses. All three are null without kHasFiles.
  /// Admits the bytes that validate() and prepare() read, and freezes any of them that determine where later queries
  /// read. Only the payload's size was checked before.
  bool (*admit_open)(const View&, ByteGate&);
  /// Admits the bytes that contains(), contains_batch(), count(), find() and find_batch() read for a hash, and few
  /// other bytes.
  bool (*admit_query)(const View&, std::uint64_t hash, ByteGate&);
  /// Admits the bytes that a range query reads. Null for a kind without range queries, like Probe::contains_range.
  bool (*admit_range)(const View&, std::uint64_t low, std::uint64_t high, ByteGate&);

  Stats (*stats)(const View&) noexcept;
  double (*predicted_fp_rate)(const View&, double keys) noexcept;
  /// The number of bits, for a kind whose payload is an array of random bits, which gap coding can compress. Null for
  /// other kinds.
  std::uint64_t (*bit_array_bits)(const Shape&) noexcept;

  /// Null for a kind without pages.
  const Paging* paging;

  // The next functions are null for a kind without an option.
  /// Sets the kind's fields of a spec from the text after the colon, or to their defaults for an empty text. Returns
  /// false if the text is not an option; plan() checks the range.
  bool (*set_option)(FilterSpec&, std::string_view text);
  /// The text from which set_option restores this spec's option. The text may be empty if the option is the default.
  std::string (*option_text)(const FilterSpec&);
  /// The option of a stored filter. Also null if the option is not a single number, or affects only the size.
  unsigned (*option_of)(const Shape&) noexcept;

  // start and clear are null for a kind in which a zeroed payload is a new filter, as in most kinds.
  /// Initializes a new, zeroed payload.
  void (*start)(Store, const FilterSpec&);
  /// Removes all keys.
  void (*clear)(Store);
  /// The rate for absent hashes that a new filter promises if it was sized by bits per key. Reads the shape and what
  /// start() wrote. If null, the promise is predicted_fp_rate at capacity.
  double (*promised_fp_rate)(const View&) noexcept;

  /// The layers, oldest first. Null for a kind without layers.
  std::vector<LayerInfo> (*layers)(const View&);

  // The next functions are null for a kind that does not support them.
  /// Builds the payload from all hashes, for a kind that is built once, and updates the shape. Frees the hashes after
  /// it has read them. Errors: kTooLarge, before a payload beyond max_bytes is allocated; kCancelled; those of the kind
  /// and of the source.
  Result<AlignedBytes> (*build)(Shape& shape, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes, BuildTask&);
  /// The same for hashes with values, for a kind with a value per key.
  Result<AlignedBytes> (*build_values)(Shape& shape, std::unique_ptr<StoredSource<HashedValue>> keys,
                                       std::uint64_t max_bytes, BuildTask&);
  /// Adds hashes in order, counts them in `added`, and stops at the first failure. May allocate 8 bytes per hash while
  /// it runs. Null for a kind that grows. Errors: kFull.
  Result<void> (*add)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
  /// The same for a kind that grows. Errors: kTooLarge, before a payload beyond max_bytes is allocated.
  Result<void> (*add_and_grow)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               std::uint64_t max_bytes);
  /// As add, in a build: uses the threads and the memory of the build's task. Only for a kind whose bytes do not depend
  /// on the order of the additions.
  Result<void> (*add_many)(Store, std::span<const std::uint64_t> hashes, std::uint64_t& added, BuildTask&);
  /// Undoes one addition. Errors: kNotFound, with the payload unchanged.
  Result<void> (*remove)(Store, std::uint64_t hash);
  std::uint64_t (*count)(const View&, std::uint64_t hash) noexcept;
  /// Adds a hash this many times, in time independent of the number, and counts the additions in `added`. Every kind
  /// that counts has this function. Errors: kFull; those of add_and_grow, for a kind that grows.
  Result<void> (*add_times)(Store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added,
                            std::uint64_t max_bytes);
  void (*unite)(Store into, const View& other) noexcept;
  void (*intersect)(Store into, const View& other) noexcept;
  /// Advances the clock to a time in milliseconds since 1970, and drops expired keys (crivo/host/window.h).
  void (*advance)(Store, std::int64_t time);

  [[nodiscard]] bool is_built_once() const noexcept { return build != nullptr || build_values != nullptr; }
};

/// Whether a kind declares which payloads are valid, what opening reads, and what a query reads. Each declaration is a
/// function, or a constant that replaces the function. A kind that lacks a declaration does not compile.
template <class K>
consteval bool declares_its_reads() {
  const bool validates = requires { &K::validate; };
  const bool opens_any_payload = requires { K::kEveryPayloadIsValid; };
  const bool admits_opening = requires { &K::admit_open; };
  const bool validates_padding = requires { K::kOnlyPaddingIsValidated; };
  const bool admits_query = requires { &K::admit_query; };
  const bool reads_a_block = requires { K::kBytesOfBlock; };
  return validates != opens_any_payload && opens_any_payload + admits_opening + validates_padding == 1 &&
         admits_query + reads_a_block == 1;
}

/// Whether a kind has a rate model, exactly one way to add keys, and both or neither of each pair of related functions.
template <class K>
consteval bool is_complete() {
  const bool rates_shapes = requires(const Shape& shape) { K::predicted_fp_rate(shape, 1.0); };
  const bool rates_payloads = requires(const View& view) { K::predicted_fp_rate(view, 1.0); };
  const bool builds = requires { &K::build; }
  || requires { &K::build_values; };
  const bool adds = requires { &K::add; };
  const bool grows = requires { &K::add_and_grow; };
  const bool counts = requires { &K::count; };
  const bool adds_times = requires { &K::add_times; };
  const bool has_option = requires { K::kOption; };
  const bool reads_option = requires {
    &K::set_option;
    &K::option_text;
  };
  return (rates_shapes || rates_payloads) && builds + adds + grows == 1 && counts == adds_times &&
         has_option == reads_option;
}

/// The required members of a kind; make_row() detects the optional ones.
template <class K>
concept FilterKind = declares_its_reads<K>() && is_complete<K>() &&
    requires(const FilterSpec& spec, const Shape& shape, const View& view) {
  { K::kKind } -> std::convertible_to<Kind>;
  { K::kName } -> std::convertible_to<std::string_view>;
  { K::kUnitName } -> std::convertible_to<const char*>;
  { K::plan(spec) } -> std::same_as<Result<Shape>>;
  { K::payload_bytes(shape) } -> std::same_as<Result<std::uint64_t>>;
  { K::probe(shape) } -> std::same_as<Probe>;
  { K::stats(view) } -> std::same_as<Stats>;
};

/// The statistics of a kind whose units are words: Stats::bits counts all bits of the payload.
inline Stats stats_of_words(const View& view, double fp_rate, std::uint64_t keys) noexcept {
  return {.bits = view.shape.units * 64,
          .bits_set = count_bits({view.payload, view.payload_bytes}),
          .current_fp_rate = fp_rate,
          .cardinality = static_cast<double>(keys)};
}

/// Whether builds can use threads.
inline constexpr bool kHasThreads = kHasFiles;

/// Admits the last two words of the payload, for kinds whose validate() checks only the padding there.
inline bool admit_padding(const View& view, ByteGate& gate) {
  const std::uint64_t bytes = std::min<std::uint64_t>(16, view.payload_bytes);
  return gate.admit(view.payload_bytes - bytes, bytes);
}

/// Admits the block mulhi(hash, units), for kinds that store a key in that block only.
inline bool admit_block(const View& view, std::size_t block_bytes, std::uint64_t hash, ByteGate& gate) {
  return gate.admit(mulhi(hash, view.shape.units) * block_bytes, block_bytes);
}

/// Sets the functions for payloads that are read in pieces: the kind's own functions, or defaults.
template <FilterKind K>
constexpr void set_gated_reads(KindRow& row) {
  if constexpr (requires { &K::admit_open; }) {
    row.admit_open = &K::admit_open;
  } else if constexpr (requires { K::kOnlyPaddingIsValidated; }) {
    row.admit_open = &admit_padding;
  } else {
    row.admit_open = [](const View&, ByteGate&) { return true; };
  }
  row.admit_query = [](const View& view, std::uint64_t hash, ByteGate& gate) {
    if constexpr (requires { &K::admit_query; }) {
      return K::admit_query(view, hash, gate);
    } else {
      return admit_block(view, K::kBytesOfBlock, hash, gate);
    }
  };
  if constexpr (requires { &K::admit_range; }) row.admit_range = &K::admit_range;
}

/// Sets the functions for planning and statistics.
template <FilterKind K>
constexpr void set_models(KindRow& row) {
  if constexpr (requires { K::kOption; }) {
    row.set_option = &K::set_option;
    row.option_text = &K::option_text;
    if constexpr (requires { &K::option_of; }) row.option_of = &K::option_of;
  }
  row.plan = &K::plan;
  // A kind's rates are for absent hashes; the rate of hash collisions is added here. (The kind range has no hash
  // collisions. For this kind, the term bounds the error of its slightly uneven hash of block numbers.)
  row.stats = [](const View& view) noexcept {
    Stats stats = K::stats(view);
    stats.current_fp_rate = with_collisions(stats.current_fp_rate, stats.cardinality.value_or(0));
    return stats;
  };
  row.predicted_fp_rate = [](const View& view, double keys) noexcept {
    if constexpr (requires { K::predicted_fp_rate(view, keys); }) {
      return with_collisions(K::predicted_fp_rate(view, keys), keys);
    } else {
      return with_collisions(K::predicted_fp_rate(view.shape, keys), keys);  // most kinds need only the shape
    }
  };
  if constexpr (requires { &K::bit_array_bits; }) row.bit_array_bits = &K::bit_array_bits;
  if constexpr (requires { &K::promised_fp_rate; }) row.promised_fp_rate = &K::promised_fp_rate;
  if constexpr (requires { &K::layers; }) row.layers = &K::layers;
}

/// Sets the functions that create and change a filter.
template <FilterKind K>
constexpr void set_changes(KindRow& row) {
  if constexpr (requires { &K::start; }) row.start = &K::start;
  if constexpr (requires { &K::clear; }) row.clear = &K::clear;
  if constexpr (requires { &K::build; }) row.build = &K::build;
  if constexpr (requires { &K::build_values; }) row.build_values = &K::build_values;
  if constexpr (requires { &K::add; }) row.add = &K::add;
  if constexpr (requires { &K::add_and_grow; }) row.add_and_grow = &K::add_and_grow;
  if constexpr (kHasThreads && requires { &K::add_many; }) row.add_many = &K::add_many;
  if constexpr (requires { &K::remove; }) row.remove = &K::remove;
  if constexpr (requires { &K::count; }) {
    row.add_times = [](Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added,
                       [[maybe_unused]] std::uint64_t max_bytes) {
      if constexpr (requires { &K::add_and_grow; }) {
        return K::add_times(store, hash, times, added, max_bytes);
      } else {
        return K::add_times(store, hash, times, added);
      }
    };
  }
  if constexpr (requires { &K::unite; }) row.unite = &K::unite;
  if constexpr (requires { &K::intersect; }) row.intersect = &K::intersect;
  if constexpr (requires { &K::advance; }) row.advance = &K::advance;
}

/// The capabilities of a kind, even if kHasFiles or kHasThreads excludes their functions from the row.
template <FilterKind K>
constexpr Capabilities capabilities_of() {
  constexpr bool takes_values = requires { &K::build_values; };
  Capabilities can;
  // Not `row.add != nullptr`, which is not a constant for GCC with sanitizers.
  can.add = requires { &K::add; }
  || requires { &K::add_and_grow; };
  can.remove = requires { &K::remove; };
  can.count = requires { &K::count; };
  can.unite = requires { &K::unite; };
  can.intersect = requires { &K::intersect; };
  can.range = requires { &K::admit_range; };
  can.exact = requires { K::kIsExact; };
  can.find = takes_values && !can.exact;
  can.advance = requires { &K::advance; };
  can.grow = requires { &K::add_and_grow; };
  return can;
}

template <FilterKind K>
constexpr KindRow make_row(const Paging* paging = nullptr) {
  KindRow row{};
  row.paging = paging;
  row.info = {.kind = K::kKind, .name = K::kName, .option = {}, .alias = {}, .can = capabilities_of<K>()};
  if constexpr (requires { K::kHashId; }) row.info.hash_id = K::kHashId;
  if constexpr (requires { K::kDefaultFpRate; }) row.info.default_fp_rate = K::kDefaultFpRate;
  if constexpr (requires { K::kDefaultCapacity; }) row.info.default_capacity = K::kDefaultCapacity;
  if constexpr (requires { K::kOption; }) row.info.option = K::kOption;
  if constexpr (requires { K::kOptionAlias; }) row.info.alias = K::kOptionAlias;
  row.unit_name = K::kUnitName;
  row.payload_bytes = &K::payload_bytes;
  row.validate = [](const View& view) -> Result<void> {
    if constexpr (requires { K::kEveryPayloadIsValid; })
      return {};
    else
      return K::validate(view);
  };
  if constexpr (requires { &K::check_whole; }) row.check_whole = &K::check_whole;
  row.probe = &K::probe;
  if constexpr (requires { &K::prepare; }) row.prepare = &K::prepare;
  if constexpr (requires { &K::count; }) row.count = &K::count;
  if constexpr (kHasFiles) set_gated_reads<K>(row);
  set_models<K>(row);
  set_changes<K>(row);
  return row;
}

/// The rows of all kinds; each is defined in the file named after its kind (map: ribbon_map.cpp).
extern const KindRow kBlocked, kClassic, kCounting, kCuckoo, kExact, kGrowing, kHashCompaction, kMap, kRange, kRibbon,
    kScalable, kSpectral, kWindow;

}  // namespace crivo
