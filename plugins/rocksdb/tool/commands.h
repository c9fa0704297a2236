// The subcommands of crivo-sst, which `crivo sst` starts. command.h says how they are declared and how they end.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "command.h"

namespace crivo::tool {

void add_sst_info(CLI::App& app, Action& action);
void add_sst_probe(CLI::App& app, Action& action);
void add_sst_refilter(CLI::App& app, Action& action);

/// RocksDB's error as one of ours: "DB must be readable, got x: IO error: ...".
[[nodiscard]] inline Error rocksdb_error(const std::string& rule, const std::string& path,
                                         const rocksdb::Status& status) {
  return {ErrorCode::kBadArgument, rule + ", got " + path + ": " + status.ToString()};
}

}  // namespace crivo::tool
