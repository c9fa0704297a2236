// Building a filter from keys that arrive one by one, with or without knowing how many there will be.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/planned_sizes.h"
#include "crivo/result.h"

namespace crivo {

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
class FilterBuilder {
 public:
  /// A spec.capacity of 0 means that the filter is sized from its keys. The options hold for what finish() builds from
  /// the hashes that were kept. Errors: as AnyFilter::create, at once where the capacity is given. `sizes` saves the
  /// search for a size when many builders are alike; it must outlive the builder.
  [[nodiscard]] static Result<FilterBuilder> create(const FilterSpec& spec, const BuildOptions& options = {},
                                                    PlannedSizes* sizes = nullptr);

  Result<void> add(std::string_view key) { return add_hash(hash_key(key, spec_.seed)); }
  Result<void> add_hash(std::uint64_t key_hash);

  /// Keys added so far, duplicates included.
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  /// The filter. The builder may only be destroyed afterwards. Without keys this is an empty filter (of capacity 1, if
  /// it was to be sized from its keys). Errors: as AnyFilter::build.
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  FilterBuilder(const FilterSpec& spec, const BuildOptions& options, PlannedSizes* sizes)
      : spec_(spec), options_(options), sizes_(sizes) {}
  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& spec);
  [[nodiscard]] Result<AnyFilter> build(const FilterSpec& spec, const BuildOptions& options);
  void make_room();
  void drop_repeated_hashes();
  [[nodiscard]] std::uint64_t keys_to_size_for() const;
  [[nodiscard]] std::span<std::uint64_t> kept() const noexcept { return {hashes_.get(), kept_}; }

  FilterSpec spec_;
  BuildOptions options_;
  PlannedSizes* sizes_;
  Capabilities can_;
  std::uint64_t keys_ = 0;
  std::optional<AnyFilter> filter_;  // has a value when keys go straight into the filter

  // The hashes, when they are kept. This is no vector, because a vector that grows needs the old array and the new one
  // at the same time.
  struct Free {
    void operator()(std::uint64_t* hashes) const noexcept { std::free(hashes); }
  };
  std::unique_ptr<std::uint64_t[], Free> hashes_;
  std::size_t kept_ = 0;
  std::size_t room_ = 0;
};

}  // namespace crivo
