// What bloom_table_info tells about a filter table.
#pragma once

#include <string>

#include "table/filter_table.h"

namespace crivo::sqlite {

/// The facts about a table as one JSON object; sqlite_ext/README.md names them. It reads every page. Throws as
/// FilterTable does.
[[nodiscard]] std::string table_info(FilterTable& table);

}  // namespace crivo::sqlite
