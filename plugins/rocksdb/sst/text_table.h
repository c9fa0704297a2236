// The table that people read: a row for each file, or for each filter block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crivo::sst {

/// The line above the rows.
inline constexpr std::string_view kTableHeading =
    "level  filter                       keys        bytes  bits/key  current_fp_rate  file\n";

/// A row. The numbers are as in FileFilters and FilterFacts.
struct TableRow {
  std::string level;  // "-" if it is unknown; empty for a block
  std::string kind;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  double bits_per_key = 0;
  double current_fp_rate = 1;
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
