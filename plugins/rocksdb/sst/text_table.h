// The table that the plugin and the tool print: a row per file, or per filter block.
#pragma once

#include <string>
#include <string_view>

#include "sst/filter_facts.h"

namespace crivo::sst {

inline constexpr std::string_view kTableHeading =
    "level  filter                       keys        bytes  bits/key  current_fp_rate  file\n";

struct TableRow {
  std::string level;  // "-" if unknown; empty for a block
  FilterFigures figures;
  std::string what;       // the file or the block
  std::string scans;      // on a separate line, if not empty
  std::string complaint;  // on a separate line, if not empty
};

[[nodiscard]] std::string row_text(const TableRow& row);

/// A file's level; -1 means unknown.
[[nodiscard]] std::string level_text(int level);

/// A file's path, and its column family unless it is the default one.
[[nodiscard]] std::string file_text(const std::string& path, const std::string& column_family);

}  // namespace crivo::sst
