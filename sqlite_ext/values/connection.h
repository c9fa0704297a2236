// What one database connection keeps from call to call.
#pragma once

#include <optional>

#include "crivo/planned_sizes.h"
#include "values/kept_filters.h"

namespace crivo::sqlite {

/// Lives as long as the functions are registered with the connection. One thread at a time uses it, as is true of the
/// connection.
struct Connection {
  // These save time; no result depends on them.
  KeptFilters kept;
  PlannedSizes sizes;  // for bloom_agg, which may make a filter for each of many groups

  /// Whether the key that was last inserted into a filter table was new; no value before the first.
  std::optional<bool> added;

  /// True while a function reads a filter table.
  bool reads_table = false;
};

}  // namespace crivo::sqlite
