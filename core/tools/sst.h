// crivo sst: RocksDB's files, for which there is a program of their own.
#pragma once

#include <CLI/CLI.hpp>

namespace crivo::tool {

/// Declares the subcommand, so that --help lists it.
CLI::App* add_sst(CLI::App& app);

/// Becomes crivo-sst: the one in the folder of this program, or else the one that PATH leads to. `called` is the name
/// by which this program was called, `argv` is "sst" and what follows it. Returns, with the exit code for trouble and a
/// message said, only if there is no such program.
int run_crivo_sst(const char* called, char** argv);

}  // namespace crivo::tool
