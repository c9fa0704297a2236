// Builds a filter from keys that arrive one by one or in batches. The number of keys need not be known.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

class PlannedSizes;  // core/internal/crivo/host/planned_sizes.h
class BuilderState;  // core/src/filter/builder_state.h

/// Builds one filter: create(), then add() or add_hash() for each key, then finish(). Not thread-safe.
///
/// With a capacity, each key is added to the filter immediately if the kind can add. (kGrowing has a default capacity.)
/// Otherwise the builder stores the 64-bit hashes, and drops repeated hashes from time to time. For maps and exact
/// filters, it stores each hash with its value. finish() then sizes the filter for the distinct hashes. For a kind that
/// counts or removes, the builder stores all hashes, and finish() adds them in order; a kind that removes is sized for
/// all hashes.
///
/// Memory: 8 bytes per stored hash, or 16 with a value. The array doubles in place, so up to half of it is reserved but
/// not resident. finish() needs additional memory: for range and spectral, 8 bytes per hash; for a blocked filter of at
/// least 64 MiB, 8 bytes per hash, at most 128 MiB; for exact, 16 bytes for each key that passes the filter's first
/// stage (a filter of the members).
///
/// options.max_memory limits this memory. Hashes that do not fit are written to temporary files, and the filter has the
/// same bytes as without a limit. The payload of a kind that is built once may also be in a mapped temporary file. For
/// any other kind, a payload that does not fit into the limit is an error (kBadArgument).
class FilterBuilder {
 public:
  /// With capacity 0, finish() sizes the filter for its hashes (above). Each pane of a window is then sized for all
  /// distinct hashes, because the build adds all keys to one pane. In an exact filter, spec.fp_rate is the rate for
  /// keys that were not added. If keys are added immediately, threads, temporary_memory and temp_folder are ignored,
  /// and finish() calls progress once. Errors: kBadArgument naming the field; kTooLarge if the payload needs more than
  /// max_bytes. Without a capacity, finish() returns the errors that depend on the number of keys.
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options = {});
  FilterBuilder(FilterBuilder&& other) noexcept;
  FilterBuilder& operator=(FilterBuilder&& other) noexcept;
  ~FilterBuilder();

  /// Errors: as AnyFilter::add if keys are added immediately; kBadArgument if max_memory is too small; kUnsupported for
  /// maps and exact filters, whose keys need values; kSystem if a temporary file cannot be written, after which the
  /// builder may only be destroyed.
  Result<void> add(std::string_view key);
  Result<void> add_hash(std::uint64_t key_hash);
  /// Same as add_hash for each hash in order, but faster.
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);

  /// Adds a key with its value. In a map, the value has at most spec.value_bits bits, or 32 if value_bits is 0. In an
  /// exact filter, the value is 1 for a member and 0 for any other key. A pair may be added again. Errors: kBadArgument
  /// for a larger value, and for a key with two values (reported by finish() at the latest); kUnsupported for other
  /// kinds.
  Result<void> add(std::string_view key, std::uint64_t value);
  Result<void> add_hash(std::uint64_t key_hash, std::uint64_t value);
  /// Needs as many values as hashes. On an error, the pairs before the failing one were added.
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes, std::span<const std::uint64_t> values);

  /// Keys added so far, with duplicates.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  /// Returns the filter. The builder may only be destroyed afterwards. Without keys, the filter is empty; its capacity
  /// is 1 (for a window, the number of panes) if neither the spec nor the kind has one. Errors: as AnyFilter::build;
  /// kSystem; kBadArgument if max_memory is too small.
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  friend class PlannedSizes;
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options,
                                                    PlannedSizes* sizes);
  explicit FilterBuilder(std::unique_ptr<BuilderState> state) noexcept;

  std::unique_ptr<BuilderState> state_;
};

}  // namespace crivo
