// The arguments of CREATE VIRTUAL TABLE ... USING bloom(name=value, ...).
#pragma once

#include <optional>
#include <span>

#include "table/source.h"
#include "table/state.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// What the arguments of a table ask for.
struct TableArguments {
  TableSpec spec;                // its capacity is 0 if none was given and there is a source
  std::optional<Source> source;  // as it was written
};

/// Each text is `name = value`; the value may stand in single or double quotes. Throws SqlError naming the argument,
/// for an unknown or repeated one, too.
[[nodiscard]] TableArguments parse_table_arguments(sqlite3* db, std::span<const char* const> texts);

}  // namespace crivo::sqlite
