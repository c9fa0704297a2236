#include "outline.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"

namespace crivo::tool {
namespace {

void print_line(const std::vector<std::string>& fields) { std::puts(joined(fields, "\t").c_str()); }

/// "-o,--output".
std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names.append(names.empty() ? "-" : ",-").append(name);
  for (const std::string& name : option.get_lnames()) names.append(names.empty() ? "--" : ",--").append(name);
  return names;
}

/// Prints the values of a KIND: a name, an alias, or a name with an option that the kind accepts. Tries the numbers
/// below 16 and the powers of two as options.
void print_kinds() {
  for (const KindInfo& kind : kinds()) {
    print_line({"value", std::string(kind.name)});
    if (!kind.alias.empty()) print_line({"value", std::string(kind.alias)});
    for (std::uint64_t option = 0; option <= UINT32_MAX; option += option < 16 ? 1 : option) {
      const std::string text = std::string(kind.name) + ':' + std::to_string(option);
      FilterSpec spec{.capacity = 1};
      if (choose_kind(spec, text) && AnyFilter::build(spec, std::span<const std::uint64_t>()))
        print_line({"value", text});
    }
  }
}

using Commands = std::vector<const CLI::App*>;

Commands commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

void print_option(const CLI::Option& option, const Commands& commands) {
  const std::string times = option.get_items_expected_max() > 1 ? "many" : "one";
  if (option.get_positional()) {
    const std::string name = option.get_name(true);
    print_line({"positional", name, times});
    if (name != "COMMAND") return;
    for (const CLI::App* command : commands) print_line({"value", command->get_name()});
    return;
  }
  const std::string argument = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  std::vector<std::string> excludes;
  for (const CLI::Option* other : option.get_excludes()) excludes.push_back(names_of(*other));
  print_line({"option", names_of(option), times, option.get_description(), argument, joined(excludes, ",")});
  if (argument == "KIND") print_kinds();
}

void print_command(const CLI::App& command, const std::string& name, const Commands& commands) {
  print_line({"command", name, command.get_description()});
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
    print_option(*option, commands);
}

}  // namespace

void print_outline(const CLI::App& program) {
  const Commands commands = commands_of(program);
  print_command(program, "", commands);
  for (const CLI::App* command : commands) print_command(*command, command->get_name(), commands);
}

}  // namespace crivo::tool
