// What the subcommands of the crivo tool share: how they are declared, how they end.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "crivo/result.h"

namespace crivo::tool {

/// As grep's: trouble is never mistaken for "no".
enum ExitCode : int { kYes = 0, kNo = 1, kTrouble = 2 };

/// Does a subcommand's work once the arguments are parsed. An Error ends in kTrouble.
using Action = std::function<Result<ExitCode>()>;

// Each declares a subcommand and returns what it does. The action uses options that live as long as `app`.
void add_build(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);

/// What --help says of the lines that keys are read from.
inline constexpr const char* kKeyLines =
    "A key is a line without its '\\n' and nothing else: a '\\r' before it is part of the key, an empty line is the "
    "empty "
    "key, and a last line needs no '\\n'.";

}  // namespace crivo::tool
