// What the programs crivo and crivo-sst share: how arguments become a subcommand's action, and how it ends.
#pragma once

#include <CLI/CLI.hpp>

#include "command.h"

namespace crivo::tool {

/// Parses the arguments, runs the action that a subcommand has set, and returns the exit code. `app` has the program's
/// name, as messages are to show it, and its subcommands, of which one is required. Throws nothing but what is not
/// meant to be caught.
[[nodiscard]] int run_program(CLI::App& app, Action& action, int argc, char** argv);

/// Says what went wrong on standard error, "crivo build: ...", and returns kTrouble.
int complain(const CLI::App& app, std::string message);

}  // namespace crivo::tool
