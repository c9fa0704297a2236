// The clock of a filter table with a window (crivo/host/window.h): SQLite's own, or one that only `advance` moves.
#pragma once

#include <string_view>

#include "crivo/host/window.h"
#include "values/boundary.h"

namespace crivo::sqlite {

struct TableWindow : Window {
  bool manual = false;  // the time is what `advance` was told, and not SQLite's

  /// Sets the clock of a table without keys.
  void restart(sqlite3* db);

  friend bool operator==(const TableWindow&, const TableWindow&) = default;
};

/// The window that lasts as long as `length` says (kWindowLengths). Throws SqlError.
[[nodiscard]] TableWindow make_window(std::string_view length, std::uint32_t panes);

}  // namespace crivo::sqlite
