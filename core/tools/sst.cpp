// This tool does not link RocksDB, so that it runs on machines without it (sst.h).
#include "sst.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "command.h"
#include "crivo/host/system.h"

namespace crivo::tool {
namespace {

constexpr const char* kProgram = "crivo-sst";

/// The program in the folder of this one; empty if the folder is unknown.
std::string program_beside(const char* called) {
  const std::filesystem::path self = system::own_path(called);
  return self.empty() ? "" : (self.parent_path() / kProgram).string();
}

}  // namespace

CLI::App* add_sst(CLI::App& app) {
  return app
      .add_subcommand(
          "sst", "Inspect RocksDB's SST files, replace their filters, and run programs with filters (needs crivo-sst)")
      ->alias("rocksdb");
}

int run_crivo_sst(const char* called, char** argv) {
  const std::string beside = program_beside(called);
  if (!beside.empty()) ::execv(beside.c_str(), argv);
  // If that program exists but cannot be run, report it rather than trying PATH.
  if (beside.empty() || errno == ENOENT) ::execvp(kProgram, argv);
  const int reason = errno;
  std::fprintf(stderr,
               "crivo sst: crivo-sst must be installed in the folder of crivo or in one of PATH, got: %s; Debian's "
               "package crivo-rocksdb has it, and a build with librocksdb-dev\n",
               std::strerror(reason));
  return kTrouble;
}

}  // namespace crivo::tool
