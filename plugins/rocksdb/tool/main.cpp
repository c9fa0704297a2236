// crivo-sst, the program behind `crivo sst` and `crivo rocksdb`: inspects, plans and replaces the filters of SST files,
// and runs other programs with Crivo's filters.
#include <cstdio>
#include <exception>
#include <string_view>

#include "program.h"
#include "tool/commands.h"

int main(int argc, char** argv) try {
  using namespace crivo::tool;
  CLI::App app("Inspect, probe, plan and replace the filters of RocksDB's SST files",
               std::string_view(argv[0]) == "rocksdb" ? "crivo rocksdb" : "crivo sst");
  Action action;
  add_sst_advise(app, action);
  add_sst_info(app, action);
  add_sst_probe(app, action);
  add_sst_refilter(app, action);
  add_sst_run(app, action);
  return run_program(app, action, argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "crivo sst: %s\n", error.what());
  return crivo::tool::kTrouble;
}
