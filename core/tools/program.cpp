#include "program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <sstream>

#include "crivo/host/unwrap.h"
#include "crivo/version.h"
#include "file.h"
#include "outline.h"

namespace crivo::tool {
namespace {

/// The program's name in messages: "crivo", or "crivo build" once the subcommand is known.
std::string program_name(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app.get_name() : app.get_name() + " " + commands.front()->get_name();
}

/// Prefixes a positional argument, or the value after an option's "=", with kGuard. An empty value is prefixed, too,
/// because CLI11 would use the next argument for the missing value of "--output=".
std::string guarded(const std::string& argument, bool is_option) {
  if (!is_option) return kGuard + argument;
  const std::size_t equals = argument.find('=');
  if (!argument.starts_with("--") || equals == std::string::npos) return argument;
  return argument.substr(0, equals + 1) + kGuard + argument.substr(equals + 1);
}

/// The guarded arguments in reverse order, as CLI11 requires. The first argument is the subcommand; after "--" there
/// are no options.
std::vector<std::string> guarded_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  bool options_ended = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--" && !options_ended) {
      options_ended = true;
      continue;
    }
    const bool is_option = !options_ended && argument.starts_with('-') && argument != "-";
    arguments.push_back(i == 1 && !is_option ? argument : guarded(argument, is_option));
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// The error for a first argument that is not a command; no value if it is a command or an option. CLI11's own message
/// does not show the argument.
std::optional<std::string> command_mistake(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!arguments.empty() && arguments.back() == command->get_name()) return std::nullopt;
    names.append(names.empty() ? "" : ", ").append(command->get_name());
    for (const std::string& alias : command->get_aliases()) names.append(", ").append(alias);
  }
  if (!arguments.empty() && arguments.back().starts_with('-')) return std::nullopt;
  return "COMMAND must be one of " + names + ", got " + (arguments.empty() ? "none" : arguments.back());
}

/// The arguments that the command does not know, in order, each preceded by a space. A hint follows if an option was
/// written with underscores, as in SQL and C (fp_rate), or if an unknown argument starts with a hyphen.
std::string extras(const CLI::App& app) {
  std::string list;
  std::string hint;
  for (std::string extra : app.remaining(true)) {
    const std::string name = extra.substr(0, extra.find('='));
    std::string spelled = name;
    std::ranges::replace(spelled, '_', '-');
    const auto commands = app.get_subcommands();
    const bool is_known = !commands.empty() && commands.front()->get_option_no_throw(spelled) != nullptr;
    if (spelled != name && is_known) {
      hint.assign(" (").append(name).append(" is spelled ").append(spelled).append(")");
    }
    list += " " + shown(literal(std::move(extra)));
  }
  if (hint.empty() && list.find(" -") != std::string::npos) hint = " (-- ends the options)";
  return list + hint;
}

/// Wraps --help at 80 columns. CLI11 puts each description in one line.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kColumns = 80;
  constexpr std::size_t kDescriptions = 30;  // the column at which CLI11's descriptions begin
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line); out += line + '\n') {
    const std::string indent(line.starts_with("  ") ? kDescriptions : 0, ' ');
    while (line.size() > kColumns) {
      const std::size_t blank = line.rfind(' ', kColumns);
      if (blank == std::string::npos || blank <= indent.size()) break;  // a word longer than a line
      out += line.substr(0, line.find_last_not_of(' ', blank) + 1) + '\n';
      line.replace(0, blank + 1, indent);
    }
  }
  return out;
}

/// Prints an error, "crivo build: ...", and returns kTrouble.
int report_error(const CLI::App& app, std::string message) {
  std::erase(message, kGuard);  // CLI11 quotes arguments as it received them
  std::fprintf(stderr, "%s: %s\n", program_name(app).c_str(), message.c_str());
  return kTrouble;
}

int run(CLI::App& app, Action& action, std::vector<std::string> arguments) {
  app.set_version_flag("--version", "crivo " + std::string(version()) + " (" + std::string(active_isa()) + ")");
  app.require_subcommand(1);
  if (arguments.size() == 1 && arguments.back() == kOutlineFlag) {
    print_outline(app);
    return kYes;
  }
  if (const auto mistake = command_mistake(app, arguments)) {
    return report_error(app, *mistake + "; see " + app.get_name() + " --help");
  }
  if (const auto known = check_isa(); !known) return report_error(app, known.error().message);
  try {
    app.parse(std::move(arguments));
    return action();
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    const int code = app.exit(help_or_version, text);
    std::fputs(wrapped(text.str()).c_str(), stdout);
    return code;
  } catch (const CLI::ParseError& error) {
    const bool has_extras = !app.remaining(true).empty();
    // A mistyped option is one of the extras, but CLI11 reports missing arguments first. Also, CLI11's message lists
    // the extras in reverse order.
    if (has_extras && (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                       dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)) {
      return report_error(
          app, "arguments must be known to the command, got" + extras(app) + "; see " + program_name(app) + " --help");
    }
    return report_error(app, std::string(error.what()) + "; see " + program_name(app) + " --help");
  } catch (const Refused& refused) {
    return report_error(app, refused.error.message);
  } catch (const std::bad_alloc&) {
    return report_error(app, "out of memory");
  }
}

// Opens /dev/null for closed standard descriptors, because the next opened files would otherwise get their numbers.
void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int run_program(CLI::App& app, Action& action, int argc, char** argv) try {
  hold_standard_descriptors();
  const int code = run(app, action, guarded_arguments(argc, argv));
  if (code != kTrouble) flush_output();  // after an error, a second one, of the output, is not reported
  return code;
} catch (const Refused& refused) {
  return report_error(app, refused.error.message);
} catch (const std::exception& error) {
  return report_error(app, error.what());
}

}  // namespace crivo::tool
