// crivo verify: is this file a whole, undamaged filter?
#include <cstdio>
#include <memory>

#include "command.h"
#include "filter_file.h"

namespace crivo::tool {
namespace {

Result<ExitCode> verify(const FilterArgument& filter) {
  const Result<MappedFilter> opened = load_filter(filter);
  const Result<void> verified = opened ? opened->verify() : opened.error();
  if (verified) return kYes;
  if (verified.error().code != ErrorCode::kCorrupt) return verified.error();
  std::fprintf(stderr, "crivo verify: %s\n", verified.error().message.c_str());
  return kNo;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("verify", "Check a filter: its header, its checksum, every byte of it");
  const auto filter = std::make_shared<FilterArgument>();
  add_filter_argument(*command, *filter);
  command->footer("Exit code: 0 if the filter is whole, 1 if it is not, 2 if it could not be read.");
  command->callback([filter, &action] { action = [filter] { return verify(*filter); }; });
}

}  // namespace crivo::tool
