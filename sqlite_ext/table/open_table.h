// Which class a filter table is.
#pragma once

#include "table/plain_table.h"
#include "table/window_table.h"

namespace crivo::sqlite {

[[nodiscard]] inline std::unique_ptr<FilterTable> make_table(ShadowTables& shadow, bool has_window) {
  if (has_window) return std::make_unique<WindowTable>(shadow);
  return std::make_unique<PlainTable>(shadow);
}

/// The table that the shadow tables have, as its state says. Throws HostError, SqlError.
[[nodiscard]] inline std::unique_ptr<FilterTable> open_table(ShadowTables& shadow) {
  return make_table(shadow, parse_state(read_state(shadow, "state")).window.has_value());
}

}  // namespace crivo::sqlite
