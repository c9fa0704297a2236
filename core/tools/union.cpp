// crivo union: one filter of all the keys that several filters have.
#include <optional>

#include "command.h"
#include "file.h"
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
  const MappedFilter filter = load_filter(with);
  const Progress progress("uniting", true);
  Result<void> united;
  unwrap(filter.look_at_whole([&](const FilterRef& ref) { united = all.unite(ref); }));
  unwrap(united);
}

ExitCode unite_all(const UnionOptions& options) {
  check_output(options.output.path, options.filters.paths);
  std::optional<AnyFilter> all;
  for (const std::string& path : options.filters.paths) {
    const FilterArgument filter{path, options.filters.max_bytes};
    try {
      if (all) {
        unite(*all, filter);
      } else {
        all = load_copy(filter).filter;
      }
    } catch (const Refused& refused) {
      throw in_file(refused, path);
    }
  }
  return write_filter(all->ref(), options.output.path, options.output.form(),
                      {"union", options.quiet, "build the filters with the capacity of all keys together"});
}

}  // namespace

void add_union(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "union", "Make one filter of all the keys that several filters have", unite_all);
  add_filter_arguments(command, options.filters, 2);
  add_output(command, options.output);
  add_forms(command, options.output);
  add_quiet(command, options.quiet);
  command.footer("The filters must be of the same kind, capacity, rate and seed.");
}

}  // namespace crivo::tool
