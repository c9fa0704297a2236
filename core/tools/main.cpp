// crivo: builds, queries, describes and verifies filters on the command line. All of Crivo's interfaces can read its
// files.
#include <cstdio>
#include <exception>
#include <vector>

#include "command.h"
#include "program.h"
#include "sst.h"

namespace {

/// Declares `crivo help`. Returns the arguments, null-terminated, with `crivo help COMMAND` replaced by `crivo COMMAND
/// --help`. Any other arguments of help are left unchanged, and will be an error.
std::vector<char*> add_help(CLI::App& app, const CLI::App& sst, int argc, char** argv) {
  static std::string help = "--help";
  CLI::App* const command = app.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", "A command; without it, list the commands");
  std::vector<char*> arguments(argv, argv + argc);
  command->callback([] { throw CLI::CallForHelp(); });
  const int most = argc > 2 && sst.check_name(argv[2]) ? 4 : 3;  // a command of crivo sst has two names
  if (argc > 1 && argc <= most && argv[1] == command->get_name() && (argc == 2 || argv[2][0] != '-')) {
    arguments.erase(arguments.begin() + 1);
    arguments.push_back(help.data());
  }
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace crivo::tool;
  CLI::App app("Membership filters: is a key certainly absent, or probably present?", "crivo");
  Action action;
  add_build(app, action);
  add_add(app, action);
  add_union(app, action);
  add_query(app, action);
  add_info(app, action);
  add_verify(app, action);
  add_sketch(app, action);
  add_diff(app, action);
  const CLI::App* const sst = add_sst(app);
  std::vector<char*> arguments = add_help(app, *sst, argc, argv);
  // crivo-sst parses its own arguments, including --help.
  if (argc > 1 && sst->check_name(arguments[1])) return run_crivo_sst(arguments[0], arguments.data() + 1);
  return run_program(app, action, static_cast<int>(arguments.size()) - 1, arguments.data());
} catch (const std::exception& error) {
  std::fprintf(stderr, "crivo: %s\n", error.what());
  return crivo::tool::kTrouble;
}
