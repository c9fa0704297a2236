#include "sst/text_table.h"

#include <algorithm>
#include <cstdio>

#include "crivo/host/text.h"

namespace crivo::sst {

std::string row_text(const TableRow& row) {
  constexpr std::size_t kLevelColumns = 5;
  constexpr std::size_t kKindColumns = 20;
  char numbers[400];  // a rate or a ratio may have 300 digits
  const FilterFigures& figures = row.figures;
  std::snprintf(numbers, sizeof numbers, " %12llu %12llu %9.2f  %15.3g  ",
                static_cast<unsigned long long>(figures.keys), static_cast<unsigned long long>(figures.bytes),
                figures.bits_per_key(), figures.current_fp_rate);
  std::string text(kLevelColumns - std::min(kLevelColumns, row.level.size()), ' ');
  text += row.level + "  " + figures.kind;
  text.append(kKindColumns - std::min(kKindColumns, figures.kind.size()), ' ').append(numbers).append(row.what) += '\n';
  if (!row.scans.empty()) text += "       scans: " + row.scans + '\n';
  return row.complaint.empty() ? text : text + "       ! " + row.complaint + '\n';
}

std::string level_text(int level) { return level < 0 ? "-" : std::to_string(level); }

std::string file_text(const std::string& path, const std::string& column_family) {
  return column_family.empty() || column_family == "default" ? path : path + " (" + printable(column_family) + ")";
}

}  // namespace crivo::sst
