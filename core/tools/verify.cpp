// crivo verify: are these files whole, undamaged filters?
#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "file.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

Result<void> verify(const FilterArgument& filter) {
  const Result<MappedFilter> opened = load_filter(filter);
  if (!opened) return opened.error();
  const Progress progress("verifying", true);
  return opened->verify();
}

/// One file is whole without a word. Of several, each has a line.
Result<ExitCode> verify_all(const FilterArguments& filters) {
  const bool several = filters.paths.size() > 1;
  ExitCode worst = kYes;
  for (const std::string& path : filters.paths) {
    const Result<void> verified = verify({path, filters.max_bytes});
    if (verified) {
      if (several) std::printf("%s: whole\n", shown(path, "standard input").c_str());
      continue;
    }
    worst = std::max(worst, verified.error().code == ErrorCode::kCorrupt ? kNo : kTrouble);
    if (auto flushed = flush_output(); !flushed)
      return flushed.error();  // so that the lines are in the order of the files where both lead to one place
    std::fprintf(stderr, "crivo verify: %s\n", in_file(verified.error(), path).message.c_str());
  }
  return worst;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("verify", "Check filters: the header, the checksum, every byte of each");
  const auto filters = std::make_shared<FilterArguments>();
  add_filter_arguments(*command, *filters, 1);
  command->footer("Exit code: 0 if every filter is whole, 1 if one is not, 2 if one could not be read.");
  command->callback([filters, &action] { action = [filters] { return verify_all(*filters); }; });
}

}  // namespace crivo::tool
