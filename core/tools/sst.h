// crivo sst: commands for RocksDB's files, in a separate program.
#pragma once

#include <CLI/CLI.hpp>

namespace crivo::tool {

CLI::App* add_sst(CLI::App& app);

/// Replaces this process by crivo-sst: the one in this program's folder, or else in PATH. `called` is argv[0] of this
/// program, `argv` starts with "sst". Returns only if that fails, with an exit code, after printing an error.
int run_crivo_sst(const char* called, char** argv);

}  // namespace crivo::tool
