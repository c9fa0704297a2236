// What one database connection keeps from call to call. It saves time; no result depends on it.
#pragma once

#include <memory>

#include "crivo/host/planned_sizes.h"
#include "values/owned_filter.h"

namespace crivo::sqlite {

/// Lives as long as the functions are registered with the connection. One thread at a time uses it, as is true of the
/// connection.
struct Connection {
  std::shared_ptr<const DecodedFilter> decoded;  // the filter that was decoded last to answer a question
  PlannedSizes sizes;                            // for bloom_agg, which may make a filter for each of many groups

  /// True while a function reads a filter table.
  bool reads_table = false;
};

}  // namespace crivo::sqlite
