// Empty filters that are made once and copied, for whoever builds many small filters alike.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Gives the filters that AnyFilter::create gives, and remembers them by their capacity.
///
/// Finding the size for a rate takes some 200 us, as long as adding 20,000 keys; a copy of a small empty filter takes
/// less than one. So a filter for each group of rows is made from here. One thread. Keeps at most 1 MiB.
class EmptyFilters {
 public:
  /// Errors: as AnyFilter::create.
  [[nodiscard]] Result<AnyFilter> create(const FilterSpec& spec, std::uint64_t max_bytes = UINT64_MAX);

 private:
  void keep(const AnyFilter& filter);

  FilterSpec spec_;  // what all the kept filters have in common; its capacity is 0
  std::unordered_map<std::uint64_t, AnyFilter> by_capacity_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace crivo
