#include "table/window.h"

#include "crivo/host/text.h"
#include "values/time.h"

namespace crivo::sqlite {

void TableWindow::restart(sqlite3* db) {
  generation = 0;
  first_pane = manual ? -1 : time_now(db) / pane_length;
}

TableWindow make_window(std::string_view length, std::uint32_t panes) {
  const std::optional<std::int64_t> pane = length_of_pane(read_window_length(length).value_or(0), panes);
  if (!pane) throw SqlError{std::string("window must be ").append(kWindowLengths).append(", got ") + in_quotes(length)};
  TableWindow made;
  made.pane_length = *pane;
  made.panes = panes;
  return made;
}

}  // namespace crivo::sqlite
