// Shared by the subcommands of the crivo tool: the exit codes, and the declaration of subcommands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace crivo::tool {

/// The exit codes are those of grep, so that an error is never mistaken for "no".
enum ExitCode : int { kYes = 0, kNo = 1, kTrouble = 2 };

/// Runs a subcommand, after the arguments were parsed. If it throws Refused, the tool prints the message and exits with
/// kTrouble.
using Action = std::function<ExitCode()>;

// Each function declares a subcommand, which sets `action` when CLI11 parses it.
void add_build(CLI::App& app, Action& action);
void add_add(CLI::App& app, Action& action);
void add_union(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_sketch(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);

// CLI11 interprets arguments such as "[a,b]" (a list of two), "++" (the end of a subcommand) and "-", but a key may
// look like that. So run_program prefixes every argument that is neither the subcommand nor an option, and every value
// after an option's "=", with kGuard. add_option removes the prefix.
inline constexpr char kGuard = '\x01';
[[nodiscard]] inline std::string literal(std::string argument) {
  if (argument.starts_with(kGuard)) argument.erase(0, 1);
  return argument;
}

/// A subcommand that is being declared, and its options, which live as long as the subcommand.
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

/// Declares an option with one value, or with several if `text` is a vector. A name without hyphens is positional.
template <class Text>
CLI::Option* add_option(CLI::App& command, const char* names, Text& text, const std::string& about,
                        const char* type = "TEXT") {
  return command.add_option(names, text, about)->type_name(type)->transform(literal);
}
/// Declares an option whose text is passed to `use` when it is parsed. `use` may throw, like an Action.
inline CLI::Option* add_option(CLI::App& command, const std::string& names,
                               const std::function<void(const std::string&)>& use, const std::string& about,
                               const char* type) {
  return command.add_option_function<std::string>(names, use, about)->type_name(type)->transform(literal);
}
/// For add_option: stores the result of `read` in a value.
template <class Value, class Read>
auto into(Value& value, const Read& read) {
  return [&value, read](const std::string& text) { value = read(text); };
}

/// The explanation of key lines in --help.
inline constexpr const char* kKeyLines =
    "A key is a line without its '\\n' and nothing else: a '\\r' before it is part of the key, an empty line is the "
    "empty key, and a last line needs no '\\n'. With -0, a NUL ends each key instead.";

}  // namespace crivo::tool
