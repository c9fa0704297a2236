// The two classes for filters of every kind: AnyFilter owns a filter and can change it; FilterRef borrows one and asks
// it.
//
// A filter is a payload of bytes, with functions that read it and keep no state of their own. The same bytes lie in
// memory, in a blob and in an SST block. There are no false negatives: a key that was added, and not removed, is always
// found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "crivo/build_options.h"
#include "crivo/hash.h"
#include "crivo/kinds.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"
#include "crivo/view.h"

namespace crivo {

struct FilterBuild;  // core/src/filter/filter_build.h
struct KindRow;      // the functions of a kind; core/src/kinds/kind.h
struct ViewOf;       // what a FilterRef gives to those functions; core/src/filter/view_of.h

/// A borrowed filter whose bytes were validated: a small value that is cheap to copy. It is valid as long as the
/// payload it was opened on is neither changed nor freed. Any number of threads may ask it at the same time.
class FilterRef {
 public:
  /// Validates payload, shape and facts (capacity 1 to 2^40, rate above 0 and at most 1) against each other; every
  /// later query is then safe. Errors: kCorrupt, naming the field. Opening takes constant time, except for the kinds of
  /// which docs/format.md says otherwise.
  [[nodiscard]] static Result<FilterRef> open(const Shape& shape, const Facts& facts,
                                              std::span<const std::byte> payload);

  /// False means that the key is certainly not in the filter. True means that it is, or that this is a false hit, which
  /// has the probability stats().current_fp_rate.
  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return probe_.contains_key(view_, key); }
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash) const noexcept {
    return probe_.contains(view_, key_hash);
  }
  /// Asks for many keys at once, with prefetching, which is faster than one call per key. `hits` must be at least as
  /// long as the other span; both may be empty.
  void may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept;
  void may_contain_keys(std::span<const std::string_view> keys, std::span<bool> hits) const noexcept;

  /// The number of times the key was added, less those that it was removed: never less than the true number, sometimes
  /// more. spectral: a count of 2^w - 1, with w the counter bits, means at least that many. counting: 15 means 15 or
  /// more, and after removals it may also stand for fewer. cuckoo: at most 8. Errors: kUnsupported for a kind that
  /// cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;

  /// Whether a key may lie in the range from `low` to `high`, both included, as ordered numbers (crivo/ordered.h).
  /// False means that certainly none does; so it is for low > high, as no key lies there. A filter of a kind that
  /// cannot tell always says true, where C and SQL refuse: ask kind().can.range first.
  [[nodiscard]] bool may_contain_range(std::uint64_t low, std::uint64_t high) const noexcept {
    return low <= high && (probe_.contains_range == nullptr || probe_.contains_range(view_, low, high));
  }

  /// The hash of a key under this filter's hash function and seed: what the functions that take a hash expect.
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    return hash_key(view_.shape.hash_id, key, view_.shape.seed);
  }

  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return {view_.payload, view_.payload_bytes}; }
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Stats stats() const noexcept;
  /// The layers of a scalable filter, oldest first, where a layer's keys are those that no older one found. Any other
  /// filter is one layer, whose keys are the successful additions. Takes a pass over the payload.
  [[nodiscard]] std::vector<LayerInfo> layers() const;
  /// The model's false-positive rate with `keys` distinct keys in a filter of this shape.
  [[nodiscard]] double predicted_fp_rate(double keys) const noexcept;

 private:
  friend class AnyFilter;
  friend struct FilterBuild;
  friend class MapRef;  // crivo/map.h
  friend struct ViewOf;
  FilterRef(const KindRow& row, const View& view, const Facts& facts) noexcept;

  View view_;
  Facts facts_;
  const KindRow* row_;
  Probe probe_;
};

/// A filter that owns its payload. Any number of threads may ask it at the same time; while a thread changes it, no
/// other may use it. A filter that was moved from may only be destroyed or assigned to.
///
/// It remembers the max_bytes that it was made with. A kind that grows refuses a key that would need more, with
/// kTooLarge, unchanged and before it allocates.
class AnyFilter {
 public:
  AnyFilter(const AnyFilter& other);
  AnyFilter(AnyFilter&& other) noexcept = default;
  AnyFilter& operator=(const AnyFilter& other) { return *this = AnyFilter(other); }
  AnyFilter& operator=(AnyFilter&& other) noexcept = default;
  ~AnyFilter() = default;

  /// Makes an empty filter. Errors: kBadArgument naming the field; kTooLarge when the payload would need more than
  /// max_bytes; kUnsupported for a kind that is built once, which could never get a key: see build().
  [[nodiscard]] static Result<AnyFilter> create(const FilterSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// Makes a filter of any kind from these hashes; repeated ones are harmless. A kind that is built once sorts a copy
  /// of the hashes, unless they are distinct and in ascending order already. Errors: as create, with kTooLarge also
  /// where the keys that came need more than max_bytes; kFull; kCancelled.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                               const BuildOptions& options = {});
  /// The same without that copy: the hashes are sorted where they lie. The caller must not use them afterwards.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                               const BuildOptions& options = {});
  /// A copy that owns its payload and may grow to max_bytes. Throws std::bad_alloc.
  [[nodiscard]] static AnyFilter copy_of(const FilterRef& filter, std::uint64_t max_bytes = UINT64_MAX);
  /// Makes a filter of a payload that FilterRef::open accepts. The filter may grow to max_bytes. Errors: as
  /// FilterRef::open.
  [[nodiscard]] static Result<AnyFilter> adopt(const Shape& shape, const Facts& facts, AlignedBytes payload,
                                               std::uint64_t max_bytes = UINT64_MAX);

  /// Adds a key. Errors: kUnsupported for a kind that is built once; kFull or kTooLarge, with the filter unchanged.
  Result<void> add(std::string_view key) { return add_hash(hash(key)); }
  Result<void> add_hash(std::uint64_t key_hash) { return add_hashes({&key_hash, 1}); }
  /// Adds keys by their hashes, in order. On an error the keys before the failing one have been added and counted.
  Result<void> add_hashes(std::span<const std::uint64_t> hashes);

  /// Adds a key so many times, which takes no longer for many than for a few. Errors: kUnsupported for a kind that
  /// cannot count; kFull, for cuckoo, where the times before the failing one have been added and counted.
  Result<void> add_times(std::string_view key, std::uint64_t times) { return add_hash_times(hash(key), times); }
  Result<void> add_hash_times(std::uint64_t key_hash, std::uint64_t times);

  /// Takes back one addition of a key. Errors: kUnsupported; kNotFound, with the filter unchanged, when the key is
  /// certainly not in it. Removing a key that was never added but is found (a false hit) can lose other keys: see
  /// docs/format.md.
  Result<void> remove(std::string_view key) { return remove_hash(hash(key)); }
  Result<void> remove_hash(std::uint64_t key_hash);

  /// Adds every key of `other`, which may be ref(): afterwards this filter is the one that would have been built from
  /// both sets of keys. Errors: kIncompatible naming the field that differs; kUnsupported. Unchanged on error.
  Result<void> unite(const FilterRef& other);
  /// Keeps what both filters have: afterwards this filter finds every key that is in both sets, and some keys that are
  /// in one of them. `other` and errors: as unite. Unchanged on error.
  Result<void> intersect(const FilterRef& other);
  /// Sets the clock of a window to a time, in milliseconds since 1970-01-01 00:00 UTC, up to the year 9999, which keys
  /// have that are added from now on. A key is found for at least a window after it was last added, and for at most one
  /// pane longer. The clock never goes back: an earlier time changes nothing. Keys from before the first call have its
  /// time. Takes constant time until the next pane begins. Errors: kBadArgument; kUnsupported.
  Result<void> advance(std::int64_t time);
  /// Forgets every key, and the time; capacity and rate stay. Errors: kUnsupported for a kind that is built once.
  Result<void> clear();

  /// The filter as a FilterRef that borrows its payload: valid until this filter is next changed, moved from or
  /// destroyed.
  [[nodiscard]] const FilterRef& ref() const noexcept { return ref_; }

  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return ref_.may_contain(key); }
  [[nodiscard]] bool may_contain_range(std::uint64_t low, std::uint64_t high) const noexcept {
    return ref_.may_contain_range(low, high);
  }
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept { return ref_.hash(key); }
  [[nodiscard]] const Shape& shape() const noexcept { return ref_.shape(); }
  [[nodiscard]] const Facts& facts() const noexcept { return ref_.facts(); }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

 private:
  friend struct FilterBuild;
  AnyFilter(const KindRow& row, const Shape& shape, const Facts& facts, AlignedBytes payload,
            std::uint64_t max_bytes) noexcept
      : ref_(row, {shape, payload.data(), payload.size()}, facts),
        payload_(std::move(payload)),
        max_bytes_(max_bytes) {}
  Result<void> grow_by(std::span<const std::uint64_t> hashes, std::uint64_t& added);
  void count_added(std::uint64_t keys) noexcept;
  /// Must be called whenever the payload may have moved.
  void borrow_payload() noexcept;

  FilterRef ref_;  // borrows the payload, ready to be asked
  AlignedBytes payload_;
  std::uint64_t max_bytes_;
};

}  // namespace crivo
