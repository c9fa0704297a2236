// crivo: builds, changes, queries, describes and verifies filters and sketches on the command line.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "command.h"
#include "crivo/host/system.h"
#include "program.h"

namespace {

constexpr const char* kProgram = "crivo-sst";

/// The path of crivo-sst in this program's folder; empty if the folder is unknown.
std::string program_beside(const char* called) {
  const std::filesystem::path self = crivo::system::own_path(called);
  return self.empty() ? "" : (self.parent_path() / kProgram).string();
}

/// Declares `crivo sst`: commands for RocksDB's files. They are in a separate program, so that this tool runs on
/// machines without RocksDB.
CLI::App* add_sst(CLI::App& app) {
  return app
      .add_subcommand(
          "sst", "Inspect RocksDB's SST files, replace their filters, and run programs with filters (needs crivo-sst)")
      ->alias("rocksdb");
}

/// Replaces this process with crivo-sst from this program's folder or, if there is none, from PATH. `called` is argv[0]
/// of this program, `argv` starts with "sst" or its alias. If neither can be run, prints an error and returns an exit
/// code.
int run_crivo_sst(const char* called, char** argv) {
  const std::string beside = program_beside(called);
  if (!beside.empty()) ::execv(beside.c_str(), argv);
  // If the program in this folder exists but cannot be run, reports that, and does not search PATH.
  if (beside.empty() || errno == ENOENT) ::execvp(kProgram, argv);
  const int reason = errno;
  std::fprintf(stderr,
               "crivo sst: crivo-sst must be installed in the folder of crivo or in one of PATH, got: %s; install "
               "the package crivo-rocksdb, or build Crivo with librocksdb-dev\n",
               std::strerror(reason));
  return crivo::tool::kTrouble;
}

/// Declares `crivo help`. Returns the arguments, null-terminated, with `crivo help [COMMAND]` replaced by `crivo
/// [COMMAND] --help`. Leaves any other arguments of `help` unchanged; CLI11 then reports an error.
std::vector<char*> add_help(CLI::App& app, const CLI::App& sst, int argc, char** argv) {
  static std::string help = "--help";
  CLI::App* const command = app.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", "A command; without it, list the commands");
  std::vector<char*> arguments(argv, argv + argc);
  command->callback([] { throw CLI::CallForHelp(); });
  const int most = argc > 2 && sst.check_name(argv[2]) ? 4 : 3;  // a command of crivo sst is two words: sst probe
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
