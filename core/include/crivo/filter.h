// Two classes for filters of every kind: AnyFilter owns and changes a filter; FilterRef borrows a filter for queries.
//
// A filter is a payload of bytes, read by stateless functions. The bytes are the same in memory, in a raw blob and in
// an SST block. There are no false negatives: a query for a key that was added, and not removed, returns true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "crivo/build_options.h"
#include "crivo/detail/view.h"
#include "crivo/hash.h"
#include "crivo/kinds.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

struct FilterBuild;  // core/src/filter/filter_build.h
struct KindRow;      // core/src/kinds/kind.h
struct ViewOf;       // core/src/filter/view_of.h

/// A validated, borrowed filter; a small value that is cheap to copy. Valid until the payload is changed or freed. Any
/// number of threads may query it at the same time.
class FilterRef {
 public:
  /// Validates the shape, the facts (capacity 1 to 2^40, fp_rate in (0, 1]), and the size and structure of the payload.
  /// Whatever the payload contains, no query reads outside it. Takes constant time, except for an empty filter of a
  /// kind that is built once. Errors: kCorrupt, naming the field.
  [[nodiscard]] static Result<FilterRef> open(const Shape& shape, const Facts& facts,
                                              std::span<const std::byte> payload);

  /// False: the key is certainly not in the filter. True: the key is in the filter, or the answer is a false positive,
  /// whose probability is stats().current_fp_rate.
  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return probe_.contains_key(view_, key); }
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash) const noexcept {
    return probe_.contains(view_, key_hash);
  }
  /// Queries many keys with prefetching, which is faster than one call per key. `hits` must be at least as long as the
  /// other span. Both may be empty.
  void may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept;
  void may_contain_keys(std::span<const std::string_view> keys, std::span<bool> hits) const noexcept;

  /// The number of additions of the key minus its removals. The count may be too high, and is too low only if the count
  /// is saturated: `spectral` counts to 2^counter_bits - 1, and `counting` to 15. Removals do not decrease a saturated
  /// count of `counting`. A cuckoo filter rejects the ninth addition of a key (kFull). Errors: kUnsupported for a kind
  /// that cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;

  /// Whether any key may be in the range [low, high] of ordered numbers (crivo/ordered.h). False if low > high. For a
  /// kind without range queries (kind().can.range is false), returns true for every other range.
  [[nodiscard]] bool may_contain_range(std::uint64_t low, std::uint64_t high) const noexcept {
    return low <= high && (probe_.contains_range == nullptr || probe_.contains_range(view_, low, high));
  }

  /// The hash of a key under this filter's hash function and seed, for the functions that take a hash.
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    return hash_key(view_.shape.hash_id, key, view_.shape.seed);
  }

  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return {view_.payload, view_.payload_bytes}; }
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Stats stats() const noexcept;
  /// The layers of a scalable filter, oldest first. A layer counts the keys that no older layer found. A filter of any
  /// other kind is one layer, whose keys are Facts::keys. Reads the whole payload.
  [[nodiscard]] std::vector<LayerInfo> layers() const;
  /// The modelled false-positive rate of a filter of this shape with `keys` distinct keys.
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

/// A filter that owns its payload. Any number of threads may query it at the same time. While one thread changes a
/// filter, no other thread may use it. A moved-from filter may only be destroyed or assigned to.
///
/// A filter stores the max_bytes that it was created with. An addition that needs a larger payload fails with
/// kTooLarge, before anything is allocated or changed.
class AnyFilter {
 public:
  AnyFilter(const AnyFilter& other);
  AnyFilter(AnyFilter&& other) noexcept = default;
  AnyFilter& operator=(const AnyFilter& other) { return *this = AnyFilter(other); }
  AnyFilter& operator=(AnyFilter&& other) noexcept = default;
  ~AnyFilter() = default;

  /// Makes an empty filter. Errors: kBadArgument naming the field; kTooLarge if the payload needs more than max_bytes;
  /// kUnsupported for a kind that is built once: use build().
  [[nodiscard]] static Result<AnyFilter> create(const FilterSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// Builds a filter of a kind without values from hashes, which may repeat. A kind that is built once sorts a copy of
  /// the hashes, unless they are distinct and ascending. Errors: kBadArgument naming the field; kTooLarge if the
  /// payload needs more than max_bytes; kUnsupported for hashes of a kind with values; kFull; kCancelled.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                               const BuildOptions& options = {});
  /// The same, but sorts `hashes` in place instead of a copy. The contents of `hashes` are unspecified afterwards.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                               const BuildOptions& options = {});
  /// A copy that owns its payload. Throws std::bad_alloc.
  [[nodiscard]] static AnyFilter copy_of(const FilterRef& filter, std::uint64_t max_bytes = UINT64_MAX);
  /// Makes a filter that owns this payload. Errors: as FilterRef::open.
  [[nodiscard]] static Result<AnyFilter> adopt(const Shape& shape, const Facts& facts, AlignedBytes payload,
                                               std::uint64_t max_bytes = UINT64_MAX);

  /// Adds a key. Errors: kUnsupported for a kind that is built once; kFull or kTooLarge, with the filter unchanged.
  Result<void> add(std::string_view key) { return add_hash(hash(key)); }
  Result<void> add_hash(std::uint64_t key_hash) { return add_hashes({&key_hash, 1}); }
  /// Adds hashes in order. On an error, the hashes before the failing one have been added and counted.
  Result<void> add_hashes(std::span<const std::uint64_t> hashes);

  /// Adds a key `times` times, in about the time of one addition. Errors: kUnsupported for a kind that cannot count;
  /// kFull, after which a cuckoo filter contains and counts the additions before the failing one; kTooLarge.
  Result<void> add_times(std::string_view key, std::uint64_t times) { return add_hash_times(hash(key), times); }
  Result<void> add_hash_times(std::uint64_t key_hash, std::uint64_t times);

  /// Undoes one addition of a key. Remove only keys that were added: removing a false positive can lose other keys
  /// (docs/format.md). Errors: kUnsupported; kNotFound, with the filter unchanged, if the key is certainly absent.
  Result<void> remove(std::string_view key) { return remove_hash(hash(key)); }
  Result<void> remove_hash(std::uint64_t key_hash);

  /// Adds every key of `other`, which may be ref(). The result is the filter built from both sets of keys. Errors, with
  /// the filter unchanged: kIncompatible naming the field that differs; kUnsupported.
  Result<void> unite(const FilterRef& other);
  /// Intersects with `other`: every key that both filters contain is found. A key that only one of them contains may be
  /// found, too. Errors: as unite.
  Result<void> intersect(const FilterRef& other);
  /// Sets the clock of a window, in milliseconds since 1970-01-01 00:00 UTC, up to the year 9999. Keys that are added
  /// afterwards have this time. A key is found for at least one window after its last addition, and for at most one
  /// pane more. The clock never goes back: an earlier time is ignored. Keys that were added before the first call get
  /// the time of that call. Constant time, except when a new pane begins. Errors: kBadArgument; kUnsupported.
  Result<void> advance(std::int64_t time);
  /// Removes every key and resets the clock. Capacity and rate stay. Errors: kUnsupported unless the kind can add.
  Result<void> clear();

  /// Borrows the payload. Valid until this filter is changed, moved from or destroyed.
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

  FilterRef ref_;  // borrows payload_
  AlignedBytes payload_;
  std::uint64_t max_bytes_;
};

}  // namespace crivo
