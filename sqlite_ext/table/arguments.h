// The arguments of CREATE VIRTUAL TABLE ... USING bloom(name=value, ...).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/types.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// One argument: its name in lower case, and its value without quotes.
struct TableArgument {
  std::string name;
  std::string value;
};

/// Splits `name = value`; the value may stand in single or double quotes. Throws SqlError.
[[nodiscard]] TableArgument parse_argument(std::string_view text);

/// The filter that the arguments ask for. Throws SqlError naming the option, for an unknown or repeated one, too.
[[nodiscard]] FilterSpec parse_filter_arguments(sqlite3* db, std::span<const TableArgument> arguments);

}  // namespace crivo::sqlite
