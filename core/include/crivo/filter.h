// The filters: AnyFilter owns one and can change it, FilterRef borrows one and asks it.
//
// A filter is a byte payload and pure functions over it; the same bytes lie in memory, in a blob, in an SST block.
// There are no false negatives: a key that was added, and not removed, is always found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "crivo/build_options.h"
#include "crivo/hash.h"
#include "crivo/kinds.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

class BuildTask;    // a build while it runs; core/src/base/build_task.h
struct FilterPlan;  // what a spec comes to; core/src/filter/filter_plan.h
struct KindRow;     // the functions of a kind; core/src/kinds/kind.h

/// A validated filter, borrowed: a small value that is free to copy. Valid while the payload it came from is neither
/// changed nor freed. Any number of threads may ask at once.
class FilterRef {
 public:
  /// Validates payload, shape and facts (capacity 1 to 2^40, rate above 0 and at most 1) against each other; every
  /// later query is then safe. Errors: kCorrupt, naming the field. Opening is O(1) but for kinds that say otherwise in
  /// docs/format.md.
  [[nodiscard]] static Result<FilterRef> open(const Shape& shape, const Facts& facts,
                                              std::span<const std::byte> payload);

  /// False: the key was certainly never added. True: it was, or this is one of the fp_rate() false hits.
  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return contains_key_(view_, key); }
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash) const noexcept { return contains_(view_, key_hash); }
  /// Asks for many at once, with prefetching; `hits` must be as long as `hashes`. Any length, 0 included.
  void may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept;

  /// How often the key was added: never less than it was, sometimes more. Errors: kUnsupported for a kind that cannot
  /// count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;

  /// The hash this filter expects of a key.
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept { return hash_key(key, view_.shape.seed); }

  [[nodiscard]] const View& view() const noexcept { return view_; }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return {view_.payload, view_.payload_bytes}; }
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Stats stats() const noexcept;
  /// The model's false-positive rate with `keys` distinct keys in a filter of this shape.
  [[nodiscard]] double predicted_fp_rate(double keys) const noexcept;

 private:
  friend class AnyFilter;
  FilterRef(const KindRow& row, const View& view, const Facts& facts) noexcept;

  View view_;
  Facts facts_;
  const KindRow* row_;
  bool (*contains_)(const View&, std::uint64_t) noexcept;
  bool (*contains_key_)(const View&, std::string_view) noexcept;
  void (*contains_batch_)(const View&, const std::uint64_t*, std::size_t, bool*) noexcept;
};

/// A filter that owns its payload. One thread may change it, or any number may ask it.
class AnyFilter {
 public:
  /// An empty filter. Errors: kBadArgument naming the field; kTooLarge when the payload would need more than max_bytes.
  [[nodiscard]] static Result<AnyFilter> create(const FilterSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// A filter with these hashes (duplicates are harmless): for kinds that are built once, and any other. A kind that is
  /// built once sorts a copy of hashes that are not in ascending order and distinct. Errors: as create, where the keys
  /// there are can be too many as well; kFull; kCancelled.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                               const BuildOptions& options = {});
  /// The same without that copy: the hashes are sorted where they are, and are the caller's no more.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                               const BuildOptions& options = {});
  /// An owning copy.
  [[nodiscard]] static AnyFilter copy_of(const FilterRef& filter);
  /// Takes over a payload that FilterRef::open accepts. Errors: as there.
  [[nodiscard]] static Result<AnyFilter> adopt(const Shape& shape, const Facts& facts, AlignedBytes payload);

  /// Adds a key. Errors: kUnsupported for a static kind; kFull, with the filter unchanged.
  Result<void> add(std::string_view key);
  /// Adds keys by their hashes, in order. On an error those before the failing one are added and counted.
  Result<void> add_hashes(std::span<const std::uint64_t> hashes);

  /// Takes back one addition of a key. Errors: kUnsupported; kNotFound, with the filter unchanged, when the key is
  /// certainly not in it. Removing a key that was never added but is found (a false hit) can lose other keys: see
  /// docs/format.md.
  Result<void> remove(std::string_view key) { return remove_hash(hash_key(key, shape_.seed)); }
  Result<void> remove_hash(std::uint64_t key_hash);

  /// Adds every key of `other`: afterwards this is the filter that was built from both sets.
  /// Errors: kIncompatible naming the field that differs; kUnsupported. Unchanged on error.
  Result<void> unite(const FilterRef& other);
  /// Keeps what is in both: finds every common key, and some of the others. Errors: as unite.
  Result<void> intersect(const FilterRef& other);
  /// Forgets every key; capacity and rate stay. Errors: kUnsupported for a kind that is built once.
  Result<void> clear();

  /// Says how the filter is stored: pinned filters are stored raw through every later operation.
  void pin_raw(bool pinned) noexcept { facts_.pinned_raw = pinned; }

  /// Borrows; valid until this filter is next changed, moved from or destroyed.
  [[nodiscard]] FilterRef ref() const noexcept;

  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return ref().may_contain(key); }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

 private:
  friend class FilterBuilder;
  AnyFilter(const KindRow& row, const Shape& shape, const Facts& facts, AlignedBytes payload) noexcept
      : row_(&row), shape_(shape), facts_(facts), payload_(std::move(payload)) {}
  [[nodiscard]] static AnyFilter allocate(const FilterPlan& plan, const FilterSpec& spec);
  [[nodiscard]] static Result<AnyFilter> build(const FilterPlan& plan, const FilterSpec& spec,
                                               std::span<const std::uint64_t> hashes, std::uint64_t max_bytes,
                                               BuildTask& task);
  Result<void> add_watched(std::span<const std::uint64_t> hashes, BuildTask& task);
  void count_added(std::uint64_t keys) noexcept;

  const KindRow* row_;
  Shape shape_;
  Facts facts_;
  AlignedBytes payload_;
};

}  // namespace crivo
