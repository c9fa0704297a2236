// The subcommands of crivo-sst, which `crivo sst` starts. See command.h for their declaration.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "command.h"
#include "crivo/host/unwrap.h"

namespace crivo::tool {

void add_sst_advise(CLI::App& app, Action& action);
void add_sst_info(CLI::App& app, Action& action);
void add_sst_probe(CLI::App& app, Action& action);
void add_sst_refilter(CLI::App& app, Action& action);
void add_sst_run(CLI::App& app, Action& action);

/// The text of an argument in messages.
[[nodiscard]] inline std::string text_or_nothing(const std::string& argument) {
  return argument.empty() ? "nothing" : argument;
}

/// RocksDB's error as a Refused: "DB must be readable, got x: IO error: ...". kCorrupt if files are damaged or missing.
[[nodiscard]] inline Refused rocksdb_error(const std::string& rule, const std::string& path,
                                           const rocksdb::Status& status) {
  const bool damaged = status.IsCorruption() || status.IsIOError();
  return Refused(Error{damaged ? ErrorCode::kCorrupt : ErrorCode::kBadArgument,
                       rule + ", got " + text_or_nothing(path) + ": " + status.ToString()});
}

}  // namespace crivo::tool
