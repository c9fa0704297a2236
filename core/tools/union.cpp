// crivo union: unites several filters into one.
#include <cstdio>
#include <optional>

#include "command.h"
#include "crivo/shard_writer.h"
#include "crivo/sharded_filter.h"
#include "filter_file.h"
#include "output.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct UnionOptions {
  FilterArguments filters;
  OutputArgument output;
  bool quiet = false;
};

void unite(AnyFilter& all, const FilterArgument& with) {
  const FilterFile file = load_filter(with);
  const Progress progress("uniting", true);
  Result<void> united;
  unwrap(unwrap(as_mapped_filter(file))->look_at_whole([&](const FilterRef& ref) { united = all.unite(ref); }));
  unwrap(united);
}

/// Reads the manifests of sharded filters, which must have the same seed and number of shards. Empty if no filter is
/// sharded; an error if only some filters are.
std::vector<Manifest> manifests_of(const UnionOptions& options) {
  std::vector<Manifest> manifests;
  for (const std::string& path : options.filters.paths) {
    try {
      if (path == "-") continue;
      const FilterFile file = load_filter({path, options.filters.max_bytes});
      if (!std::holds_alternative<ShardedFilter>(file)) continue;
      manifests.push_back(unwrap(read_manifest(path)));
    } catch (const Refused& refused) {
      throw in_file(refused, path);
    }
  }
  if (manifests.empty()) return {};
  const Manifest& first = manifests.front();
  if (manifests.size() != options.filters.paths.size()) {
    throw Refused("FILTER must be sharded if another FILTER is, got one in a single file");
  }
  for (const Manifest& other : manifests) {
    if (other.seed == first.seed && other.shards.size() == first.shards.size()) continue;
    throw Refused("shards and seed must equal the first filter's " + std::to_string(first.shards.size()) + " and " +
                  std::to_string(first.seed) + ", got " + std::to_string(other.shards.size()) + " and " +
                  std::to_string(other.seed));
  }
  return manifests;
}

/// The index of the filter that an error of unite() is about. If a kind cannot be united, it is that of the first
/// filter.
std::size_t at_fault(const Error& error, std::size_t index) {
  return error.code == ErrorCode::kUnsupported ? 0 : index;
}

/// Unites shard by shard, so that at most two shards are in memory.
ExitCode unite_shards(const UnionOptions& options, const std::vector<Manifest>& manifests) {
  if (options.output.path == "-") throw Refused("output must be a file for a sharded filter, got standard output");
  const ReadLimits limits{.max_bytes = options.filters.max_bytes.bytes};
  const ShardsLock lock = unwrap(ShardsLock::acquire(options.output.path));
  Manifest united{manifests.front().seed, {}};
  for (std::uint32_t shard = 0; shard < manifests.front().shards.size(); ++shard) {
    std::optional<AnyFilter> all;
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      AnyFilter filter = unwrap(read_shard(options.filters.paths[i], manifests[i], shard, limits));
      if (!all) {
        all = std::move(filter);
      } else if (auto done = all->unite(filter.ref()); !done) {
        const std::size_t wrong = at_fault(done.error(), i);
        throw in_file(Refused(done.error()), shard_path(options.filters.paths[wrong], manifests[wrong], shard));
      }
    }
    united.shards.push_back(unwrap(write_shard(all->ref(), options.output.path, shard, options.output.form())));
  }
  unwrap(write_manifest(options.output.path, united, lock));
  if (!options.quiet) report_shards("union", options.output.path, united);
  return kYes;
}

ExitCode unite_all(const UnionOptions& options) {
  check_output(options.output.path, options.filters.paths);
  if (const auto manifests = manifests_of(options); !manifests.empty()) return unite_shards(options, manifests);
  std::optional<AnyFilter> all;
  const std::vector<std::string>& paths = options.filters.paths;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const FilterArgument filter{paths[i], options.filters.max_bytes};
    try {
      if (all) {
        unite(*all, filter);
      } else {
        all = load_copy(filter).filter;
      }
    } catch (const Refused& refused) {
      throw in_file(refused, paths[at_fault(refused.error, i)]);
    }
  }
  return write_filter(all->ref(), options.output.path, options.output.form(),
                      {"union", options.quiet, "build the filters with the capacity of all keys together"});
}

}  // namespace

void add_union(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "union", "Unite several filters into one", unite_all);
  add_filter_arguments(command, options.filters, 2);
  add_output(command, options.output);
  add_forms(command, options.output);
  add_quiet(command, options.quiet);
  command.footer("The filters must be of the same kind, capacity, rate and seed.");
}

}  // namespace crivo::tool
