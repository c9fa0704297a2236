// crivo verify: checks that files are undamaged filters or sketches.
#include <algorithm>
#include <cstdio>

#include "command.h"
#include "file.h"
#include "filter_file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

void verify(const FilterArgument& filter) {
  const auto opened = load_filter_or_sketch(filter);  // loading verifies a sketch
  const Progress progress("verifying", true);
  if (const auto* const file = std::get_if<FilterFile>(&opened)) {
    unwrap(std::visit([](const auto& each) { return each.verify(); }, *file));
  }
}

/// Prints nothing for a single valid file, and one line per file for several.
ExitCode verify_all(const FilterArguments& filters) {
  const bool several = filters.paths.size() > 1;
  ExitCode worst = kYes;
  for (const std::string& path : filters.paths) {
    try {
      verify({path, filters.max_bytes});
      if (several) std::printf("%s: valid\n", shown(path, "standard input").c_str());
    } catch (const Refused& refused) {
      worst = std::max(worst, refused.error.code == ErrorCode::kCorrupt ? kNo : kTrouble);
      flush_output();  // keeps the order of lines if both streams go to one place
      std::fprintf(stderr, "crivo verify: %s\n", in_file(refused, path).error.message.c_str());
    }
  }
  return worst;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  const auto [command, filters] =
      declare(app, action, "verify", "Verify every byte of filters or sketches", verify_all);
  add_filter_arguments(command, filters, 1);
  command.footer("Exit code: 0 if all are valid, 1 if one is damaged, 2 if one could not be read.");
}

}  // namespace crivo::tool
