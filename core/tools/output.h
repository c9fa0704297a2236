// The output of build, add, union and sketch: declares and checks its arguments, writes a filter, and reports it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "command.h"
#include "crivo/blob.h"
#include "crivo/manifest.h"

namespace crivo::tool {

/// The arguments that name the file to write, and its form.
struct OutputArgument {
  std::string path;  // "-" is standard output
  bool raw = false;
  bool compress = false;
  bool mappable = false;
  [[nodiscard]] BlobForm form() const noexcept;
};

/// Declares -o. The argument must live until the command has run.
void add_output(CLI::App& command, OutputArgument& output);
/// Declares --raw, --compress and --mappable.
void add_forms(CLI::App& command, OutputArgument& output);
/// Declares -q.
void add_quiet(CLI::App& command, bool& quiet);

/// Checks the output before the work begins: the output must have a name and, if it is new, a writable folder. It must
/// not be a terminal, a folder, or an input, which would be lost. Detects an input also through another path, a link or
/// a redirection. "-" is standard input among the inputs, and standard output as the output. Throws Refused.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// How a command reports its result.
struct Report {
  const char* command;   // "build"
  bool quiet;            // prints only notes and errors
  const char* overfull;  // advice for a filter with more keys than its capacity
};

/// Writes the filter as write_blob_file does ("-" is standard output). Reports on standard error what was written, and
/// whether the filter has too many keys. Throws Refused.
ExitCode write_filter(const FilterRef& filter, const std::string& path, BlobForm form, const Report& report);

/// Reports a sharded filter that was written.
void report_shards(const char* command, const std::string& path, const Manifest& manifest);

}  // namespace crivo::tool
