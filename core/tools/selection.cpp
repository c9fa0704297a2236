#include "selection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <optional>

#include "progress.h"

namespace crivo::tool {
namespace {

/// Whether no keys are printed, or only to a file. On a terminal, a progress bar would disturb the keys.
bool may_show_progress(const SelectionFlags& flags) {
  struct stat status {};
  return flags.quiet || flags.count || (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode));
}

}  // namespace

void add_selection_flags(CLI::App& command, SelectionFlags& flags, const char* invert) {
  command.add_flag(invert, flags.invert, "Print the keys that are certainly absent instead");
  command.add_flag("-q,--quiet", flags.quiet, "Print nothing; only set the exit code");
  command.add_flag("-c,--count", flags.count, "Print only the number of keys");
}

std::span<bool> Selection::hits(std::size_t keys) {
  if (capacity_ < keys) hits_ = std::make_unique<bool[]>(capacity_ = keys);
  return {hits_.get(), keys};
}

void Selection::report(Keys keys, std::span<const bool> hits, const std::function<std::string(std::size_t)>& text) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (hits[i] == flags_.invert) continue;
    ++selected_;
    if (!flags_.quiet && !flags_.count) print_key(text ? text(i) : keys[i], flags_.key_end);
  }
  std::fflush(stdout);  // for a program that waits for the answer to each line
}

void Selection::finish() const {
  if (flags_.count && !flags_.quiet) std::printf("%" PRIu64 "\n", selected_);
  flush_output();
}

void query_standard_input(const char* command, const SelectionFlags& flags, const LineLimit& longest,
                          const std::function<bool(Keys)>& query) {
  KeyReader reader("-", flags.key_end, longest);
  CarriageReturnNote carriage_returns(command, flags.key_end);
  Progress progress("querying");
  const bool shows_progress = may_show_progress(flags);
  struct stat input {};
  const bool has_size = ::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && input.st_size > 0;
  std::uint64_t queried_keys = 0;
  while (std::ferror(stdout) == 0) {
    const Keys lines = reader.next();
    if (lines.empty()) break;
    if (!flags.quiet) carriage_returns.check("-", lines);
    if (!query(lines)) break;
    queried_keys += lines.size();
    const double share = static_cast<double>(reader.bytes_read()) / static_cast<double>(input.st_size);
    if (shows_progress) progress.update(has_size ? std::optional(share) : std::nullopt, queried_keys);
  }
}

}  // namespace crivo::tool
