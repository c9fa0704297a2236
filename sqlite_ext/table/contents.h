// Reads a whole filter table: its statistics, and a snapshot of its filter.
#pragma once

#include "crivo/blob.h"
#include "table/filter_table.h"

namespace crivo::sqlite {

/// Statistics of a table's pages.
struct TableStatistics {
  std::uint64_t keys = 0;                // added and not removed; for a window, the sum of pane_keys
  std::uint64_t pages = 0;               // pages of all layers, with or without rows
  std::uint64_t stored_pages = 0;        // pages that have rows
  std::uint64_t row_bytes = 0;           // the size of the rows
  std::vector<std::uint64_t> pane_keys;  // for a window: the estimated number of different keys per pane, newest first
  double current_fp_rate = 0;            // as in Stats, over all layers and panes
  double cardinality = 0;                // the same; infinite if a page is saturated
};

/// Throws as Operation does.
[[nodiscard]] TableStatistics read_statistics(Operation& table);

/// A copy of the table's filter, of kind window if the table has a window. With `pane`, a copy of that pane, as a
/// blocked filter; pane 0 is the newest. Throws as Operation does, and SqlError for an unknown pane or above max_bytes.
[[nodiscard]] AnyFilter snapshot(Operation& table, std::optional<std::uint64_t> pane, std::uint64_t max_bytes);

}  // namespace crivo::sqlite
