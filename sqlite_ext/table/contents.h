// What a filter table holds, read as a whole: its figures, and its filter as a blob's.
#pragma once

#include "crivo/blob.h"
#include "table/filter_table.h"

namespace crivo::sqlite {

/// What the pages of a table hold.
struct Inventory {
  std::uint64_t keys = 0;                // added, and not removed; of a window: those of all panes
  std::uint64_t pages = 0;               // of all layers, stored or not
  std::uint64_t stored_pages = 0;        // those that have rows
  std::uint64_t row_bytes = 0;           // of these rows
  std::vector<std::uint64_t> pane_bits;  // of a window, newest first: the bits that are set
  std::vector<std::uint64_t> pane_keys;  // the different keys, estimated from them
  double current_fp_rate = 0;            // as in Stats, of all layers and panes
};

/// Both throw as Operation does.
[[nodiscard]] Inventory take_inventory(Operation& table);

/// The filter as one blob's filter, of the kind window if the table has one; or one `pane` of that as a blocked filter,
/// where 0 is the newest. The payload may have at most max_bytes bytes. Throws SqlError for a pane that is not there.
[[nodiscard]] AnyFilter snapshot(Operation& table, std::optional<std::uint64_t> pane, std::uint64_t max_bytes);

}  // namespace crivo::sqlite
