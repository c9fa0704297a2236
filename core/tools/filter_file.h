// Files of filters and sketches as arguments of a command: declares the arguments and reads the files.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <variant>
#include <vector>

#include "command.h"
#include "crivo/host/unwrap.h"
#include "crivo/sharded_filter.h"
#include "crivo/sketch.h"
#include "key_reader.h"
#include "numbers.h"

namespace crivo::tool {

/// The arguments of a command that reads a filter.
struct FilterArgument {
  std::string path;  // "-" is standard input
  ByteLimit max_bytes = {"max-bytes", std::uint64_t{1} << 30, "1G"};
};

/// The same for several filters.
struct FilterArguments {
  std::vector<std::string> paths;
  ByteLimit max_bytes = FilterArgument{}.max_bytes;
};

inline constexpr const char* kAboutFilter = "A file made by crivo build or SQL; - is standard input";

/// Declares FILTER and --max-bytes. The argument must live until the command has run.
void add_filter_argument(CLI::App& command, FilterArgument& filter, const char* about = kAboutFilter);
/// The same for at least `least` filters.
void add_filter_arguments(CLI::App& command, FilterArguments& filters, int least);

/// Opens a filter. open_filter_file() opens a file, if possible without reading all of it. A pipe or standard input is
/// read as a whole. Throws Refused: kTooLarge, before memory is allocated, if the filter needs more memory than
/// max_bytes; kCorrupt if the bytes are not a filter; kBadArgument or kSystem if the file cannot be read.
[[nodiscard]] FilterFile load_filter(const FilterArgument& filter);

/// The same for a file that may also be a sketch. A sketch is verified as a whole.
[[nodiscard]] std::variant<FilterFile, Sketch> load_filter_or_sketch(const FilterArgument& filter);

/// Reads and verifies a sketch. Throws as load_filter; errors name the file by its `role`.
[[nodiscard]] Sketch load_sketch(const FilterArgument& sketch, const std::string& role);

/// The maximum length of a line: the default of LineLimit, or --max-bytes if that is lower.
[[nodiscard]] LineLimit longest_line(const FilterArgument& filter);

/// A filter in memory, for changes.
struct LoadedCopy {
  AnyFilter filter;  // it may grow to max_bytes
  Codec codec;       // how the file stores it
};
/// Verifies a filter in one file and copies it into memory. Throws as load_filter; also kUnsupported for a sharded
/// filter, and kTooLarge if the payload exceeds max_bytes, even if load_filter would only map the file.
[[nodiscard]] LoadedCopy load_copy(const FilterArgument& filter);

/// Names the file in an error, except in system errors, which already name it, and in errors about an argument.
[[nodiscard]] Refused in_file(const Refused& refused, const std::string& path);

/// Rewrites the error for a filter above --max-bytes in the units of the given limit; returns other errors unchanged.
[[nodiscard]] Refused in_given_units(const Refused& refused, const ByteLimit& max_bytes);

}  // namespace crivo::tool
