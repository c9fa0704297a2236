// The table that people read: a row for each file, or for each filter block.
#pragma once

#include <string>
#include <string_view>

#include "sst/filter_facts.h"

namespace crivo::sst {

/// The line above the rows.
inline constexpr std::string_view kTableHeading =
    "level  filter                       keys        bytes  bits/key  current_fp_rate  file\n";

struct TableRow {
  std::string level;  // "-" if it is unknown; empty for a block
  FilterFigures figures;
  std::string what;       // the file or the block
  std::string scans;      // the scan filters; have a line of their own, if there are any
  std::string complaint;  // has a line of its own, if there is one
};

[[nodiscard]] std::string row_text(const TableRow& row);

/// A file's level; -1 if it is unknown.
[[nodiscard]] std::string level_text(int level);

/// What stands for a file: its path, and its column family if that is not the default one.
[[nodiscard]] std::string file_text(const std::string& path, const std::string& column_family);

}  // namespace crivo::sst
