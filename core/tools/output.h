// Writes a filter and reports it: the end of build, add and union.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "command.h"
#include "crivo/blob.h"
#include "crivo/manifest.h"

namespace crivo::tool {

/// The arguments for the filter to write.
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

/// Checks the output before the work begins: it must have a name and a writable folder, and must not be a terminal or
/// an input, which would be lost. An input may be the same file by another path, a link or a redirection. "-" is
/// standard input among the inputs, and standard output as the output. Throws Refused.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// How a command reports its result.
struct Report {
  const char* command;   // "build"
  bool quiet;            // prints only warnings
  const char* overfull;  // advice for a filter with more keys than its capacity
};

/// Writes the filter as write_blob_file does ("-" is standard output). Reports on standard error what it is, and
/// whether it has too many keys. Throws Refused.
ExitCode write_filter(const FilterRef& filter, const std::string& path, BlobForm form, const Report& report);

/// Reports a sharded filter that was written.
void say_shards(const char* command, const std::string& path, const Manifest& manifest);

}  // namespace crivo::tool
