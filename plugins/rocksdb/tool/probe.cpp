// crivo sst probe: which keys would the filter of an SST file let pass?
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "key_reader.h"
#include "tool/commands.h"
#include "tool/database.h"
#include "tool/filter_probe.h"

namespace crivo::tool {
namespace {

struct ProbeOptions {
  std::string path;
  KeyEnd key_end = KeyEnd::kNewline;
  bool hex = false;
  bool invert = false;
  bool count = false;
  bool quiet = false;
  bool time = false;
};

/// The processor's time that this thread has taken, so that other programs on the machine do not count.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Asks batch by batch, and reports.
class Probing {
 public:
  Probing(FilterProbe& probe, const ProbeOptions& options) : probe_(probe), options_(options) {}

  [[nodiscard]] std::uint64_t selected() const noexcept { return selected_; }
  [[nodiscard]] bool done() const noexcept { return options_.quiet && selected_ > 0; }
  [[nodiscard]] double nanoseconds_per_key() const noexcept {
    return asked_ == 0 ? 0 : std::chrono::duration<double, std::nano>(spent_).count() / static_cast<double>(asked_);
  }

  void ask(std::span<const std::string_view> lines) {
    keys_.clear();
    if (!options_.hex) {
      for (const std::string_view line : lines) keys_.emplace_back(line.data(), line.size());
    } else {
      decode(lines);
    }
    if (capacity_ < lines.size()) hits_ = std::make_unique<bool[]>(capacity_ = lines.size());
    const auto start = processor_time();
    probe_.ask(keys_, std::span(hits_.get(), lines.size()));
    spent_ += processor_time() - start;
    asked_ += lines.size();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (hits_[i] == options_.invert) continue;
      ++selected_;
      if (options_.quiet || options_.count) continue;
      std::fwrite(lines[i].data(), 1, lines[i].size(), stdout);
      std::fputc(static_cast<char>(options_.key_end), stdout);
    }
    std::fflush(stdout);  // a program that sends line after line waits for each answer
  }

 private:
  void decode(std::span<const std::string_view> lines) {
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
  std::unique_ptr<bool[]> hits_;
  std::size_t capacity_ = 0;
  std::uint64_t selected_ = 0;
  std::uint64_t asked_ = 0;
  std::chrono::nanoseconds spent_{};
};

void note(const std::string& text) { std::fprintf(stderr, "crivo sst probe: note: %s\n", text.c_str()); }

void ask_standard_input(Probing& probing, KeyEnd key_end) {
  KeyReader reader("-", key_end);
  CarriageReturnNote carriage_returns("sst probe", key_end);
  while (!probing.done() && std::ferror(stdout) == 0) {
    const auto lines = reader.next();
    if (lines.empty()) break;
    carriage_returns.look_at(lines);
    probing.ask(lines);
  }
}

ExitCode probe(const ProbeOptions& options) {
  check_no_pipe(options.path, "FILE must be an SST file");
  FilterProbe filter;
  const rocksdb::Status opened = filter.open(*rocksdb::FileSystem::Default(), options.path);
  if (!opened.ok()) throw rocksdb_error("FILE must be an SST file with a filter", options.path, opened);
  if (!options.quiet) {
    for (const std::string& text : filter.notes()) note(text);
  }
  Probing probing(filter, options);
  ask_standard_input(probing, options.key_end);
  if (options.count && !options.quiet) std::printf("%llu\n", static_cast<unsigned long long>(probing.selected()));
  if (options.time) note("the filter took " + std::to_string(probing.nanoseconds_per_key()) + " ns a key");
  return probing.selected() > 0 ? kYes : kNo;
}

}  // namespace

void add_sst_probe(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("probe", "Print the keys of standard input that an SST file's filter lets pass");
  const auto options = std::make_shared<ProbeOptions>();
  command->add_option("FILE", options->path, "An SST file")->required()->transform(literal);
  add_null_flag(*command, options->key_end);
  command->add_flag("--hex", options->hex, "Keys are written as hexadecimal digits");
  command->add_flag("-v,--invert,--absent", options->invert, "Print the keys that are certainly absent instead");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: only the exit code answers");
  command->add_flag("-c,--count", options->count, "Print how many there are instead");
  command->add_flag("--time", options->time, "Say on standard error how long the filter took for a key");
  command->footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Only the filter is "
                  "asked, not the file: a key that passes may still be absent. A damaged filter lets every key pass. "
                  "Keys are user keys without timestamp; where the filter has prefixes only, ask for prefixes. Of a "
                  "partitioned filter the partition of the key is asked; if the database has a comparator of its own, "
                  "all of them.\n") +
      kKeyLines);
  command->callback([options, &action] { action = [options] { return probe(*options); }; });
}

}  // namespace crivo::tool
