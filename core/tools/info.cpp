// crivo info: what a filter tells about itself.
#include <cstdio>

#include "command.h"
#include "crivo/describe.h"
#include "file.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct InfoOptions {
  FilterArgument filter;
  bool json = false;
};

ExitCode info(const InfoOptions& options) try {
  const MappedFilter opened = load_filter(options.filter);
  std::vector<Description> described;
  const auto look = [&](const FilterRef& ref) { described = describe(ref, opened.codec(), opened.blob_bytes()); };
  {
    const Progress progress("reading", true);
    unwrap(opened.look_at_whole(look));
  }
  if (options.json) {
    std::puts(to_json(described).c_str());
  } else {
    for (const Description& row : described) {
      std::printf("%-17s %s\n", std::string(row.name).c_str(), value_text(row).c_str());
    }
  }
  return kYes;
} catch (const Refused& refused) {
  throw in_file(refused, options.filter.path);
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "info", "Print what a filter tells about itself", info);
  add_filter_argument(command, options.filter);
  command.add_flag("--json", options.json, "As a JSON object, like SQL's bloom_info");
}

}  // namespace crivo::tool
