// What one database connection keeps from call to call. It saves time; no answer of a whole filter depends on it.
#pragma once

#include <cstdint>
#include <memory>

#include "crivo/host/planned_sizes.h"
#include "values/owned_filter.h"

namespace crivo::sqlite {

/// Lives as long as the functions are registered with the connection. One thread at a time uses it, as is true of the
/// connection.
struct Connection {
  std::shared_ptr<const KeptFilter> kept;  // of the filters that were asked (functions/ask.h)
  std::uint64_t asked_last = 0;            // the hash of the header of the raw filter that was read last
  PlannedSizes sizes;                      // for bloom_agg, which may make a filter for each of many groups

  /// True while a function reads a filter table.
  bool reads_table = false;
};

}  // namespace crivo::sqlite
