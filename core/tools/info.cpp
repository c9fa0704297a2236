// crivo info: what a filter or sketch tells about itself.
#include <cstdio>

#include "command.h"
#include "crivo/describe.h"
#include "crivo/shards.h"
#include "file.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct InfoOptions {
  FilterArgument filter;
  bool json = false;
};

std::vector<Description> describe(const Manifest& manifest) {
  const Facts facts = manifest.facts();
  return {
      {"kind", std::string_view("sharded")},
      {"shards", std::uint64_t{manifest.shards.size()}},
      {"capacity", facts.capacity},
      {"fp_rate", facts.fp_rate},
      {"keys", facts.keys},
      {"seed", static_cast<std::int64_t>(manifest.seed)},
      {"bytes", manifest.bytes()},
  };
}

std::vector<Description> describe(const MappedFilter& filter, const std::string& path) {
  if (filter.kind().kind == Kind::kSharded) return describe(unwrap(read_manifest(path)));
  std::vector<Description> described;
  const auto look = [&](const FilterRef& ref) { described = describe(ref, filter.codec(), filter.blob_bytes()); };
  const Progress progress("reading", true);
  unwrap(filter.look_at_whole(look));
  return described;
}

ExitCode info(const InfoOptions& options) try {
  const auto opened = load_filter_or_sketch(options.filter);
  const auto* const filter = std::get_if<MappedFilter>(&opened);
  const auto described =
      filter != nullptr ? describe(*filter, options.filter.path) : crivo::describe(std::get<Sketch>(opened));
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
  const auto [command, options] =
      declare(app, action, "info", "Print what a filter or a sketch tells about itself", info);
  add_filter_argument(command, options.filter);
  command.add_flag("--json", options.json, "As a JSON object, like SQL's bloom_info");
}

}  // namespace crivo::tool
