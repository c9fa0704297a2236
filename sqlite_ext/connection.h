// What one database connection keeps from call to call: nothing that a result depends on.
#pragma once

#include "crivo/planned_sizes.h"
#include "kept_filters.h"

namespace crivo::sqlite {

/// Lives as long as the functions are registered with the connection; used by one thread at a time, as the connection
/// is.
struct Connection {
  KeptFilters kept;
  PlannedSizes sizes;  // for bloom_agg of many groups
};

}  // namespace crivo::sqlite
