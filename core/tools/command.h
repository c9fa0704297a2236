// What the subcommands of the crivo tool share: how they are declared, how they end.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "crivo/result.h"

namespace crivo::tool {

/// As grep's: trouble is never mistaken for "no".
enum ExitCode : int { kYes = 0, kNo = 1, kTrouble = 2 };

/// Does a subcommand's work once the arguments are parsed. An Error ends in kTrouble.
using Action = std::function<Result<ExitCode>()>;

// Each declares a subcommand; parsing it sets `action`.
void add_build(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);

// CLI11 reads a meaning into arguments such as "[a,b]" (a list of two), "++" (the end of a subcommand) and "-", and a
// key may look like that. So main puts kGuard in front of every argument that is neither the subcommand nor an option,
// and every option of text takes it away again with transform(literal).
inline constexpr char kGuard = '\x01';
[[nodiscard]] inline std::string literal(std::string argument) {
  if (argument.starts_with(kGuard)) argument.erase(0, 1);
  return argument;
}

/// What --help says of the lines that keys are read from.
inline constexpr const char* kKeyLines =
    "A key is a line without its '\\n' and nothing else: a '\\r' before it is part of the key, an empty line is the "
    "empty "
    "key, and a last line needs no '\\n'.";

}  // namespace crivo::tool
