// Filters' files as arguments of a command: how the arguments are declared, and how the files are read.
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

/// What the user says about the filter to read.
struct FilterArgument {
  std::string path;  // "-" is standard input
  ByteLimit max_bytes = {"max-bytes", std::uint64_t{1} << 30, "1G"};
};

/// The same about several filters.
struct FilterArguments {
  std::vector<std::string> paths;
  ByteLimit max_bytes = FilterArgument{}.max_bytes;
};

inline constexpr const char* kAboutFilter = "A file that crivo build or SQL made; - is standard input";

/// Declares FILTER and --max-bytes. The argument must live until the command has run.
void add_filter_argument(CLI::App& command, FilterArgument& filter, const char* about = kAboutFilter);
/// The same for at least `least` filters.
void add_filter_arguments(CLI::App& command, FilterArguments& filters, int least);

/// Opens and checks the filter: a file is mapped, and its segments are verified only when they are read; anything else
/// (standard input, a pipe) is read as a whole. Throws Refused: kTooLarge, before the memory is taken, when the filter
/// takes more than max_bytes of it; kCorrupt when the bytes are no filter; kBadArgument or kSystem when the file cannot
/// be read.
[[nodiscard]] FilterFile load_filter(const FilterArgument& filter);

/// The same for a file that may hold a sketch, which is read and checked as a whole.
[[nodiscard]] std::variant<FilterFile, Sketch> load_filter_or_sketch(const FilterArgument& filter);

/// Reads and checks a sketch. Throws Refused, as load_filter; `role` names the file.
[[nodiscard]] Sketch load_sketch(const FilterArgument& sketch, const std::string& role);

/// Reads the whole content of a file; "-" is standard input. Throws Refused, which names the file by its `role`;
/// kTooLarge when it has more than `most` bytes.
[[nodiscard]] AlignedBytes read_whole(const std::string& path, const std::string& role, std::uint64_t most);

/// A line, too, may take no more memory than the filter that is asked or changed.
[[nodiscard]] LineLimit longest_line(const FilterArgument& filter);

/// A filter in memory, to be changed.
struct LoadedCopy {
  AnyFilter filter;  // it may grow to max_bytes
  Codec codec;       // how the file stores it
};
/// Verifies all of a filter in one file and copies it into memory. Throws as load_filter; kUnsupported for a sharded
/// filter; kTooLarge for a mapped one, too.
[[nodiscard]] LoadedCopy load_copy(const FilterArgument& filter);

/// Names the file in an error, as far as the error is not of the system's or about an argument: those have it.
[[nodiscard]] Refused in_file(const Refused& refused, const std::string& path);

/// The error, or if it is that of a filter above --max-bytes, one that says so in the units in which that was given.
[[nodiscard]] Refused in_given_units(const Refused& refused, const ByteLimit& max_bytes);

}  // namespace crivo::tool
