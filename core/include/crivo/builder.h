// Building a filter from keys that arrive one by one, with or without knowing how many there will be.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

class PlannedSizes;  // of our own hosts; core/internal/crivo/host/planned_sizes.h
class BuilderState;  // what a builder consists of

/// Builds one filter. Call create() once, add() or add_hash() for each key, then finish() once, all from one thread at
/// a time.
///
/// With a capacity, keys of a kind that can add go straight into the filter, and so they do where none is needed
/// (kGrowing). Otherwise their 64-bit hashes are kept and the filter is sized from the distinct ones at the end;
/// repeated hashes are dropped as they pile up. A map or an exact filter keeps each with its value, in 16 bytes. A kind
/// that removes or counts needs every addition: its repeated hashes are all kept and added in order, and one that
/// removes is sized for all of them.
///
/// Memory is 8 bytes per kept hash. They lie in one array that doubles in place when it is full, so that up to 8 more
/// bytes per hash are reserved but not yet taken from the system. finish() takes 8 more per hash for range and
/// spectral, and for a blocked filter from 64 MiB on, but there 128 MiB at most; and 16 more for an exact filter, per
/// member and per other key that a ribbon of the members finds.
///
/// Under options.max_memory, what does not fit goes to temporary files, and the filter is built from them, range
/// by range; it has the same bytes. A payload that does not fit is an error (kBadArgument), unless its kind is built
/// once: then it lies in a temporary file, too, which is mapped into memory.
class FilterBuilder {
 public:
  /// An exact filter has spec.fp_rate outside of its universe, 1% unless it says otherwise (kinds.h: default_fp_rate).
  /// A spec.capacity of 0 means that the filter is sized from its keys; of a window each pane is, as all come at once.
  /// Where keys go straight into the filter, threads, temporary_memory and temp_folder are not used, and finish() calls
  /// progress once. Errors: kBadArgument and kTooLarge as AnyFilter::create, at once where the capacity is given.
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options = {});
  FilterBuilder(FilterBuilder&& other) noexcept;
  FilterBuilder& operator=(FilterBuilder&& other) noexcept;
  ~FilterBuilder();

  /// Errors: of the filter, when keys go straight into it; kSystem when a temporary file cannot be written, after which
  /// the builder may only be destroyed.
  Result<void> add(std::string_view key);
  Result<void> add_hash(std::uint64_t key_hash);
  /// The same as add_hash for each in order, and faster.
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);

  /// The same for a map, whose keys have values, each as many bits as spec.value_bits, or up to 32; and for an exact
  /// filter, for which a member's value is 1 and that of any other key 0. To add a pair again is harmless. Errors:
  /// kBadArgument for a larger value, and for a key that turns up with another value, which may be told only by
  /// finish(); kUnsupported for another kind, as the functions above for these two.
  Result<void> add(std::string_view key, std::uint64_t value);
  Result<void> add_hash(std::uint64_t key_hash, std::uint64_t value);
  /// As many values as hashes. Where one is refused, those before it were added.
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes, std::span<const std::uint64_t> values);

  /// Keys added so far, duplicates included.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  /// The filter. The builder may only be destroyed afterwards. Without keys this is an empty filter (of capacity 1, if
  /// it was to be sized from its keys). Errors: as AnyFilter::build; kSystem; kBadArgument when max_memory is too
  /// little for the filter or for so many keys.
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  friend class PlannedSizes;
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options,
                                                    PlannedSizes* sizes);
  explicit FilterBuilder(std::unique_ptr<BuilderState> state) noexcept;

  std::unique_ptr<BuilderState> state_;
};

}  // namespace crivo
