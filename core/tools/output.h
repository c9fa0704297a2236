// Writes a filter, and says what it is: where build, add and union end.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "command.h"
#include "crivo/blob.h"

namespace crivo::tool {

/// What the user says about the filter to write.
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

/// Looks before the work begins at what can be seen by then. Refuses an output without a name, one that cannot be
/// there, a terminal, and one that is also an input: the file that is read must not be lost. The inputs may lead to it
/// by another path, a link or a redirection; "-" is standard input there, and standard output here. Throws Refused.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// How a command says what it has made.
struct Report {
  const char* command;   // "build"
  bool quiet;            // leaves out what was written, and not what is wrong with it
  const char* overfull;  // what to do about a filter with more keys than its capacity
};

/// Writes the filter as write_blob_file does ("-" is standard output), and says on standard error what it is and
/// whether it has more keys than it was made for. Throws Refused.
ExitCode write_filter(const FilterRef& filter, const std::string& path, BlobForm form, const Report& report);

}  // namespace crivo::tool
