// Shared by the programs crivo and crivo-sst: parses the arguments and runs the subcommand's action.
#pragma once

#include <CLI/CLI.hpp>

#include "command.h"

namespace crivo::tool {

/// Parses the arguments, runs the action that a subcommand has set, and returns the exit code. `app` has the program's
/// name for messages, and its subcommands, one of which is required. Reports Refused and all std::exceptions as errors.
[[nodiscard]] int run_program(CLI::App& app, Action& action, int argc, char** argv);

}  // namespace crivo::tool
