// The arguments of CREATE VIRTUAL TABLE ... USING bloom(name=value, ...).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table/source.h"
#include "table/state.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// One argument: its name in lower case, and its value without quotes.
struct TableArgument {
  std::string name;
  std::string value;
};

/// Splits `name = value`; the value may stand in single or double quotes. Throws SqlError.
[[nodiscard]] TableArgument parse_argument(std::string_view text);

/// What the arguments of a table ask for.
struct TableArguments {
  TableSpec spec;                // its capacity is 0 if none was given and there is a source
  std::optional<Source> source;  // as it was written
};

/// Throws SqlError naming the argument, for an unknown or repeated one, too.
[[nodiscard]] TableArguments parse_table_arguments(sqlite3* db, std::span<const TableArgument> arguments);

}  // namespace crivo::sqlite
