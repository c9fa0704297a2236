// Reads the scan filters of a file from its properties.
#pragma once

#include <rocksdb/table_properties.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/filter.h"

namespace crivo::plugin {

/// The filter in a property, borrowed from it; no value if it is not a filter, is damaged or has another name. A block
/// that was verified before is not read in full again (VerifiedBlocks).
[[nodiscard]] std::optional<FilterRef> open_scan_filter(std::string_view name, const std::string& block);

/// Whether a filter has the hashes of prefixes and attributes; others cannot be queried for them.
[[nodiscard]] inline bool knows_values(const FilterRef& filter) noexcept {
  return filter.shape().hash_id == HashId::kXxh3_64;
}

/// How a file's keys are compared.
enum class Order { kUnknown, kBytes, kBytesAndTimestamp };

/// Whether keys that are equal under the file's comparator have equal bytes. If not, a scan for one spelling would miss
/// another.
[[nodiscard]] Order order_of(const rocksdb::TableProperties& file);

/// The filters of a file for prefixes, borrowed from its properties.
class PrefixFilters {
 public:
  explicit PrefixFilters(const rocksdb::TableProperties& file);
  /// Queries the filter for the longest part of the prefix. That suffices, because a file with keys of the whole prefix
  /// also has keys of every shorter prefix.
  [[nodiscard]] bool may_have(std::string_view prefix) const noexcept;

 private:
  struct OfLength {
    std::size_t length;  // 0: path
    char separator;
    FilterRef filter;
    [[nodiscard]] std::size_t bytes_of(std::string_view prefix) const noexcept {
      const std::size_t bytes = length != 0 ? length : prefix.rfind(separator) + 1;
      return bytes <= prefix.size() ? bytes : 0;
    }
  };
  std::vector<OfLength> filters_;
};

}  // namespace crivo::plugin
