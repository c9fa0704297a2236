// A filter's file as an argument of a command: how the argument is declared, and how the file is read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crivo/mapped_filter.h"
#include "crivo/result.h"

namespace crivo::tool {

/// What the user says about the filter to read.
struct FilterArgument {
  std::string path;              // "-" is standard input
  std::string max_bytes = "1G";  // as parse_bytes reads it
};

/// Declares FILTER and --max-bytes. The argument must live until the command has run.
void add_filter_argument(CLI::App& command, FilterArgument& filter);

/// Opens and checks the filter: a file is mapped, and parts of it are verified only when they are read; anything else
/// (standard input, a pipe) is read as a whole. Errors: kTooLarge, before the memory is taken, when the filter takes
/// more than max_bytes of it; kCorrupt when the bytes are no filter; kBadArgument or kSystem when the file cannot be
/// read.
[[nodiscard]] Result<MappedFilter> load_filter(const FilterArgument& filter);

}  // namespace crivo::tool
