// A filter's file as an argument of a command: how the argument is declared, and how the file is read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crivo/blob.h"
#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo::tool {

/// What the user says about the filter to read.
struct FilterArgument {
  std::string path;              // "-" is standard input
  std::string max_bytes = "1G";  // as parse_bytes reads it
};

/// Declares FILTER and --max-bytes. The argument must live until the command has run.
void add_filter_argument(CLI::App& command, FilterArgument& filter);

/// A filter together with the bytes that it may borrow from. Moving it keeps the filter valid.
struct LoadedFilter {
  AlignedBytes bytes;
  OpenedBlob blob;
};

/// Reads and checks the filter. Errors: kTooLarge, before the memory is taken, when the filter needs more than
/// max_bytes; kCorrupt when the bytes are no filter; kBadArgument when the file cannot be read.
[[nodiscard]] Result<LoadedFilter> load_filter(const FilterArgument& filter);

}  // namespace crivo::tool
