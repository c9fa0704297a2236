// crivo info: prints the facts about a filter or sketch.
#include <cstdio>

#include "command.h"
#include "crivo/describe.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct InfoOptions {
  FilterArgument filter;
  bool json = false;
};

std::vector<Description> describe(const ShardedFilter& filter) {
  const Facts& facts = filter.facts();
  return {
      {"kind", filter.kind().name},
      {"shards", filter.shape().units},
      {"capacity", facts.capacity},
      {"fp_rate", facts.fp_rate},
      {"keys", facts.keys},
      {"seed", static_cast<std::int64_t>(filter.shape().seed)},
      {"bytes", filter.payload_bytes()},
  };
}

std::vector<Description> describe(const MappedFilter& filter) {
  std::vector<Description> described;
  const auto look = [&](const FilterRef& ref) { described = describe(ref, filter.codec(), filter.blob_bytes()); };
  const Progress progress("reading", true);
  unwrap(filter.look_at_whole(look));
  return described;
}

std::vector<Description> describe(const FilterFile& file) {
  return std::visit([](const auto& filter) { return describe(filter); }, file);
}

ExitCode info(const InfoOptions& options) try {
  const auto opened = load_filter_or_sketch(options.filter);
  const auto described = std::visit([](const auto& each) { return describe(each); }, opened);
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
  const auto [command, options] = declare(app, action, "info", "Print the facts about a filter or a sketch", info);
  add_filter_argument(command, options.filter);
  command.add_flag("--json", options.json, "Print a JSON object, like SQL's bloom_info");
}

}  // namespace crivo::tool
