// crivo sst probe: prints the keys that the filter of an SST file lets pass.
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "selection.h"
#include "tool/commands.h"
#include "tool/database.h"
#include "tool/filter_probe.h"

namespace crivo::tool {
namespace {

struct ProbeOptions {
  std::string path;
  SelectionFlags selection;
  bool hex = false;
  bool time = false;
};

/// This thread's CPU time, which other programs do not affect.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Queries batch by batch, and prints the results.
class Probing {
 public:
  Probing(FilterProbe& probe, const ProbeOptions& options)
      : probe_(probe), options_(options), selection_(options.selection) {}

  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }
  [[nodiscard]] double nanoseconds_per_key() const noexcept {
    return asked_ == 0 ? 0 : std::chrono::duration<double, std::nano>(spent_).count() / static_cast<double>(asked_);
  }

  /// Returns false if more keys cannot change the output.
  bool ask(Keys lines) {
    keys_.clear();
    if (!options_.hex) {
      for (const std::string_view line : lines) keys_.emplace_back(line.data(), line.size());
    } else {
      decode(lines);
    }
    const std::span<bool> hits = selection_.hits(lines.size());
    const auto start = processor_time();
    probe_.ask(keys_, hits);
    spent_ += processor_time() - start;
    asked_ += lines.size();
    selection_.report(lines, hits);
    return !options_.selection.quiet || selection_.selected() == 0;
  }

 private:
  void decode(Keys lines) {
    decoded_.clear();
    for (const std::string_view line : lines) {
      if (rocksdb::Slice(line.data(), line.size()).DecodeHex(&decoded_.emplace_back())) continue;
      throw Refused("a key must be pairs of hexadecimal digits, got " + std::string(line.substr(0, 80)));
    }
    keys_.assign(decoded_.begin(), decoded_.end());
  }

  FilterProbe& probe_;
  const ProbeOptions& options_;
  std::vector<std::string> decoded_;
  std::vector<rocksdb::Slice> keys_;
  Selection selection_;
  std::uint64_t asked_ = 0;
  std::chrono::nanoseconds spent_{};
};

void note(const std::string& text) { std::fprintf(stderr, "crivo sst probe: note: %s\n", text.c_str()); }

ExitCode probe(const ProbeOptions& options) {
  check_no_pipe(options.path, "FILE must be an SST file");
  FilterProbe filter;
  const rocksdb::Status opened = filter.open(*rocksdb::FileSystem::Default(), options.path);
  if (!opened.ok()) throw rocksdb_error("FILE must be an SST file with a filter", options.path, opened);
  if (!options.selection.quiet) {
    for (const std::string& text : filter.notes()) note(text);
  }
  Probing probing(filter, options);
  ask_standard_input("sst probe", options.selection, {}, [&](Keys keys) { return probing.ask(keys); });
  probing.selection().finish();
  if (options.time) note("the filter took " + std::to_string(probing.nanoseconds_per_key()) + " ns a key");
  return probing.selection().selected() > 0 ? kYes : kNo;
}

}  // namespace

void add_sst_probe(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "probe", "Print the keys of standard input that an SST file's filter lets pass", probe);
  add_option(command, "FILE", options.path, "An SST file")->required();
  add_null_flag(command, options.selection.key_end);
  command.add_flag("--hex", options.hex, "Keys are hexadecimal digits");
  add_selection_flags(command, options.selection, "-v,--invert,--absent");
  command.add_flag("--time", options.time, "Print the filter's time per key on standard error");
  command.footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Only the filter is "
                  "queried, not the file: a key that passes may still be absent. A damaged filter lets every key pass. "
                  "Keys are user keys without timestamp; if the filter has only prefixes, enter prefixes. In a "
                  "partitioned filter the key's partition is queried; if the database has a comparator of its own, all "
                  "partitions.\n") +
      kKeyLines);
}

}  // namespace crivo::tool
