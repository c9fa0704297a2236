// What the subcommands of the crivo tool share: how they are declared, and how they end.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
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
void add_sketch(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);

// CLI11 reads a meaning into arguments such as "[a,b]" (a list of two), "++" (the end of a subcommand) and "-", and a
// key may look like that. So main puts kGuard in front of every argument that is neither the subcommand nor an option,
// and `take` takes it away again.
inline constexpr char kGuard = '\x01';
[[nodiscard]] inline std::string literal(std::string argument) {
  if (argument.starts_with(kGuard)) argument.erase(0, 1);
  return argument;
}

/// A subcommand that is being declared, and the options that it runs with, which live as long as it does.
template <class Options>
struct Command {
  CLI::App& line;
  Options& options;
};
template <class Options>
Command<Options> declare(CLI::App& app, Action& action, const char* name, const char* about,
                         ExitCode (*run)(const Options&)) {
  CLI::App* const line = app.add_subcommand(name, about);
  const auto options = std::make_shared<Options>();
  line->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return {*line, *options};
}

/// Declares an option that takes a text, or texts; without hyphens in front of its name, an argument.
template <class Text>
CLI::Option* take(CLI::App& command, const char* names, Text& text, const std::string& about,
                  const char* type = "TEXT") {
  return command.add_option(names, text, about)->type_name(type)->transform(literal);
}
/// Declares an option whose text `use` gets as soon as it is parsed. `use` may throw, as an Action does.
inline CLI::Option* take(CLI::App& command, const std::string& names,
                         const std::function<void(const std::string&)>& use, const std::string& about,
                         const char* type) {
  return command.add_option_function<std::string>(names, use, about)->type_name(type)->transform(literal);
}
/// For `take`: puts what `read` makes of the text into a value.
template <class Value, class Read>
auto into(Value& value, const Read& read) {
  return [&value, read](const std::string& text) { value = read(text); };
}

/// What --help says about the lines from which keys are read.
inline constexpr const char* kKeyLines =
    "A key is a line without its '\\n' and nothing else: a '\\r' before it is part of the key, an empty line is the "
    "empty key, and a last line needs no '\\n'. With -0 a NUL takes the place of the '\\n'.";

}  // namespace crivo::tool
