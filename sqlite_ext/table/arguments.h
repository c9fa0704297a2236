// The arguments of CREATE VIRTUAL TABLE ... USING bloom(name=value, ...).
#pragma once

#include <optional>
#include <span>

#include "table/source.h"
#include "table/state.h"

namespace crivo::sqlite {

/// The parsed arguments of a table.
struct TableArguments {
  TableSpec spec;                // capacity is 0 if there is a source and no capacity argument
  std::optional<Source> source;  // the names as written
};

/// Parses `name = value` texts; a value may be in single or double quotes. Throws SqlError naming the argument, also if
/// the argument is unknown or repeated.
[[nodiscard]] TableArguments parse_table_arguments(sqlite3* db, std::span<const char* const> texts);

}  // namespace crivo::sqlite
