// Lookups in a map: a filter of the kind `map`, which returns a value for a key without storing keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// A borrowed map, valid as long as the filter. Any number of threads may query it at the same time.
class MapRef {
 public:
  /// Errors: kUnsupported for a kind without values.
  [[nodiscard]] static Result<MapRef> of(const FilterRef& filter);

  /// The value of a key that was added, or no value for a key that is certainly absent. For an absent key, returns an
  /// arbitrary value with the probability stats().current_fp_rate of the filter.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key) const noexcept {
    std::uint64_t value = 0;
    if (!filter_.probe_.find_key(filter_.view_, key, value)) return std::nullopt;
    return value;
  }
  [[nodiscard]] std::optional<std::uint64_t> find_hash(std::uint64_t key_hash) const noexcept {
    std::uint64_t value = 0;
    if (!filter_.probe_.find(filter_.view_, key_hash, value)) return std::nullopt;
    return value;
  }
  /// The same for many keys, which is faster. found[i] says whether there is a value; if not, values[i] is arbitrary.
  /// Both spans must be at least as long as `hashes`.
  void find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                   std::span<bool> found) const noexcept;

 private:
  explicit MapRef(const FilterRef& filter) : filter_(filter) {}
  FilterRef filter_;
};

}  // namespace crivo
