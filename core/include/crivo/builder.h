// Building a filter from keys that arrive one by one, with or without knowing how many there will be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/planned_sizes.h"
#include "crivo/result.h"

namespace crivo {

class KeptHashes;  // core/src/filter/kept_hashes.h

/// Builds one filter. Call create() once, add() or add_hash() for each key, then finish() once, all from one thread at
/// a time.
///
/// With a capacity, keys of a kind that can add go straight into the filter. Without one (capacity 0), or for a kind
/// that is built once, their 64-bit hashes are kept and the filter is sized from the distinct ones at the end; repeated
/// hashes are dropped as they pile up. A kind that removes or counts needs every addition: its repeated hashes are all
/// kept and added in order, and one that removes is sized for all of them.
///
/// Memory is 8 bytes per kept hash. They lie in one array that doubles in place when it is full, so that up to 8 more
/// bytes per hash are reserved but not yet taken from the system. finish() needs no second array, except for a kind
/// that counts, for which it takes 8 more bytes per hash.
///
/// Under options.max_memory_bytes, what does not fit goes to temporary files, and the filter is built from them, range
/// by range; it has the same bytes. A payload that does not fit is an error (kBadArgument), unless its kind is built
/// once: then it lies in a temporary file, too, which is mapped into memory.
class FilterBuilder {
 public:
  /// A spec.capacity of 0 means that the filter is sized from its keys. The options hold for what finish() builds from
  /// the hashes that were kept. Errors: as AnyFilter::create, at once where the capacity is given. `sizes` saves the
  /// search for a size when many builders are alike; it must outlive the builder.
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options = {},
                                                    PlannedSizes* sizes = nullptr);
  FilterBuilder(FilterBuilder&& other) noexcept;
  FilterBuilder& operator=(FilterBuilder&& other) noexcept;
  ~FilterBuilder();

  /// Errors: of the filter, when keys go straight into it; kSystem when a temporary file cannot be written, after which
  /// the builder may only be destroyed.
  Result<void> add(std::string_view key) { return add_hash(hash_key(key, spec_.seed)); }
  Result<void> add_hash(std::uint64_t key_hash);
  /// The same as add_hash for each in order, and faster.
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);

  /// Keys added so far, duplicates included.
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  /// The filter. The builder may only be destroyed afterwards. Without keys this is an empty filter (of capacity 1, if
  /// it was to be sized from its keys). Errors: as AnyFilter::build; kSystem; kBadArgument when max_memory_bytes is too
  /// little for the filter or for so many keys.
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  FilterBuilder(const FilterSpec& spec, const BuildOptions& options, PlannedSizes* sizes);
  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& spec) const;
  [[nodiscard]] Result<void> start(const FilterSpec& checked);
  [[nodiscard]] Result<AnyFilter> build(const FilterSpec& spec);
  [[nodiscard]] Result<AnyFilter> build_in_memory(const FilterPlan& plan, const FilterSpec& spec);
  [[nodiscard]] Result<AnyFilter> build_from_file(const FilterPlan& plan, const FilterSpec& spec);
  [[nodiscard]] Result<std::uint64_t> keys_to_size_for();
  [[nodiscard]] Result<std::uint64_t> distinct_keys_in_file();
  [[nodiscard]] Result<AnyFilter> add_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task);
  void limit(BuildTask& task, std::uint64_t payload_bytes) const;
  [[nodiscard]] std::uint64_t payload_bytes(const FilterPlan& plan, FilterSpec spec) const;
  [[nodiscard]] bool fits_beside_hashes(const FilterPlan& plan, const FilterSpec& spec) const;

  FilterSpec spec_;
  BuildOptions options_;
  PlannedSizes* sizes_;
  Capabilities can_;
  std::uint64_t keys_ = 0;
  std::uint64_t distinct_ = 0;          // found by finish(), where the filter is sized by it
  std::optional<AnyFilter> filter_;     // has a value when keys go straight into the filter
  std::unique_ptr<KeptHashes> hashes_;  // not null when they are kept
};

}  // namespace crivo
