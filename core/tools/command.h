// What the subcommands of the crivo tool share: how they are declared, and how they end.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace crivo::tool {

/// The exit codes, the same as grep's: an error is never mistaken for the answer "no".
enum ExitCode : int { kYes = 0, kNo = 1, kTrouble = 2 };

/// Does a subcommand's work, after the arguments were parsed. If it throws Refused, the tool prints the message and
/// ends with kTrouble.
using Action = std::function<ExitCode()>;

// Each of these functions declares a subcommand. When CLI11 parses that subcommand, it sets `action`.
void add_build(CLI::App& app, Action& action);
void add_add(CLI::App& app, Action& action);
void add_union(CLI::App& app, Action& action);
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

/// Declares an option that takes a text.
template <class Text>
CLI::Option* take(CLI::App& command, const char* names, Text& text, const std::string& about, const char* type) {
  return command.add_option(names, text, about)->type_name(type)->transform(literal);
}

/// What --help says about the lines from which keys are read.
inline constexpr const char* kKeyLines =
    "A key is a line without its '\\n' and nothing else: a '\\r' before it is part of the key, an empty line is the "
    "empty key, and a last line needs no '\\n'. With -0 a NUL takes the place of the '\\n'.";

}  // namespace crivo::tool
