// crivo union: one filter of all the keys that several filters have.
#include <memory>
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

Result<void> unite(AnyFilter& all, const FilterArgument& with) {
  const Result<MappedFilter> filter = load_filter(with);
  if (!filter) return filter.error();
  const Progress progress("uniting", true);
  Result<void> united;
  const auto unite_with = [&](const FilterRef& ref) { united = all.unite(ref); };
  if (auto looked = filter->look_at_whole(unite_with); !looked) return looked;
  return united;
}

Result<ExitCode> unite_all(const UnionOptions& options) {
  if (auto fine = check_output(options.output.path, options.filters.paths); !fine) return fine.error();
  std::optional<AnyFilter> all;
  for (const std::string& path : options.filters.paths) {
    const FilterArgument filter{path, options.filters.max_bytes};
    if (all) {
      if (auto united = unite(*all, filter); !united) return in_file(united.error(), path);
      continue;
    }
    Result<LoadedCopy> first = load_copy(filter);
    if (!first) return in_file(first.error(), path);
    all = std::move(first->filter);
  }
  return write_filter(all->ref(), options.output.path, options.output.form(),
                      {"union", options.quiet, "build the filters with the capacity of all keys together"});
}

}  // namespace

void add_union(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("union", "Make one filter of all the keys that several filters have");
  const auto options = std::make_shared<UnionOptions>();
  add_filter_arguments(*command, options->filters, 2);
  add_output(*command, options->output);
  add_forms(*command, options->output);
  add_quiet(*command, options->quiet);
  command->footer("The filters must be of the same kind, capacity, rate and seed.");
  command->callback([options, &action] { action = [options] { return unite_all(*options); }; });
}

}  // namespace crivo::tool
