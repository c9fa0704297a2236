// crivo info: what a filter tells about itself.
#include <cstdio>
#include <memory>

#include "command.h"
#include "crivo/describe.h"
#include "file.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

Result<ExitCode> info(const FilterArgument& filter, bool json) {
  const Result<MappedFilter> opened = load_filter(filter);
  if (!opened) return opened.error();
  std::vector<Description> described;
  const auto look = [&](const FilterRef& ref) { described = describe(ref, opened->codec(), opened->blob_bytes()); };
  {
    const Progress progress("reading", true);
    if (auto looked = opened->look_at_whole(look); !looked) return looked.error();
  }
  if (json) {
    std::puts(to_json(described).c_str());
  } else {
    for (const Description& row : described) {
      std::printf("%-17s %s\n", std::string(row.name).c_str(), value_text(row).c_str());
    }
  }
  return kYes;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "Print what a filter tells about itself");
  struct InfoOptions {
    FilterArgument filter;
    bool json = false;
  };
  const auto options = std::make_shared<InfoOptions>();
  add_filter_argument(*command, options->filter);
  command->add_flag("--json", options->json, "As a JSON object, like SQL's bloom_info");
  command->callback([options, &action] {
    action = [options] { return in_file(info(options->filter, options->json), options->filter.path); };
  });
}

}  // namespace crivo::tool
