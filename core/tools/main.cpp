// crivo: build, ask, describe and check filters from the command line. What it writes is what every other host reads.
#include <cstdio>
#include <exception>
#include <string_view>

#include "command.h"
#include "program.h"
#include "sst.h"

int main(int argc, char** argv) try {
  using namespace crivo::tool;
  CLI::App app("Membership filters: ask whether a key is certainly absent, or probably there", "crivo");
  Action action;
  add_build(app, action);
  add_query(app, action);
  add_info(app, action);
  add_verify(app, action);
  const CLI::App* const sst = add_sst(app);
  // The other program parses its arguments itself, its --help too.
  if (argc > 1 && std::string_view(argv[1]) == sst->get_name()) return run_crivo_sst(argv + 1);
  return run_program(app, action, argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "crivo: %s\n", error.what());
  return crivo::tool::kTrouble;
}
