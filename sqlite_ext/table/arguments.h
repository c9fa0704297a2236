// The arguments of CREATE VIRTUAL TABLE ... USING bloom(name=value, ...).
#pragma once

#include <optional>
#include <span>

#include "table/source.h"
#include "table/state.h"

namespace crivo::sqlite {

/// The parsed arguments of a table.
struct TableArguments {
  TableSpec table;               // a capacity of 0 means that create_following chooses the capacity
  std::optional<Source> source;  // with the names as in the argument
};

/// Parses `name = value` texts; a value may be in single or double quotes. Throws SqlError naming the argument if the
/// argument is unknown, repeated or invalid.
[[nodiscard]] TableArguments parse_table_arguments(sqlite3* db, std::span<const char* const> texts);

}  // namespace crivo::sqlite
