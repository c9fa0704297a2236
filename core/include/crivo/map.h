// Asking a map, which is a filter of the kind `map`: it gives a value for each key, and stores no keys. FilterBuilder
// builds it from keys with their values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// A borrowed map, valid as long as the filter that it was made of. Any number of threads may ask it at the same time.
class MapRef {
 public:
  /// Errors: kUnsupported for a filter of a kind that has no values.
  [[nodiscard]] static Result<MapRef> of(const FilterRef& filter);

  /// The value of a key that was added; no value for a key that is certainly absent. A key that was never added is
  /// absent, or has any value: that at the probability stats().current_fp_rate of the filter.
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
  /// The same for many keys at once, which is faster: found[i] says whether there is a value, and values[i] is any
  /// number if not. Both must be at least as long as `hashes`.
  void find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                   std::span<bool> found) const noexcept;

 private:
  explicit MapRef(const FilterRef& filter) : filter_(filter) {}
  FilterRef filter_;
};

}  // namespace crivo
