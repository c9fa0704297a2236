// crivo query: which keys may a filter contain?
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "command.h"
#include "file.h"
#include "filter_file.h"
#include "key_reader.h"

namespace crivo::tool {
namespace {

struct QueryOptions {
  FilterArgument filter;
  std::vector<std::string> keys;
  bool invert = false;
  bool quiet = false;
  bool count = false;
};

/// Asks the filter and reports, batch by batch.
class Query {
 public:
  Query(const MappedFilter& filter, const QueryOptions& options) : filter_(filter), options_(options) {}

  [[nodiscard]] std::uint64_t selected() const noexcept { return selected_; }
  /// True once further keys cannot change what is reported.
  [[nodiscard]] bool done() const noexcept { return options_.quiet && selected_ > 0; }

  Result<void> ask(std::span<const std::string_view> keys) {
    hashes_.resize(keys.size());
    hash_keys(keys, filter_.shape().seed, hashes_);
    if (hits_capacity_ < keys.size()) hits_ = std::make_unique<bool[]>(hits_capacity_ = keys.size());
    const std::span<bool> hits(hits_.get(), keys.size());
    if (auto asked = filter_.may_contain_hashes(hashes_, hits); !asked) return asked;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (hits[i] == options_.invert) continue;
      ++selected_;
      if (!options_.quiet && !options_.count) print(keys[i]);
    }
    std::fflush(stdout);  // a program that sends line after line waits for each answer
    return {};
  }

 private:
  static void print(std::string_view key) {
    std::fwrite(key.data(), 1, key.size(), stdout);
    std::fputc('\n', stdout);
  }

  const MappedFilter& filter_;
  const QueryOptions& options_;
  std::vector<std::uint64_t> hashes_;
  std::unique_ptr<bool[]> hits_;
  std::size_t hits_capacity_ = 0;
  std::uint64_t selected_ = 0;
};

Result<void> ask_standard_input(Query& query, bool quiet) {
  Result<KeyReader> reader = KeyReader::open("-");
  if (!reader) return reader.error();
  CarriageReturnNote carriage_returns("query");
  while (!query.done() && std::ferror(stdout) == 0) {
    const auto lines = reader->next();
    if (!lines) return lines.error();
    if (lines->empty()) break;
    if (!quiet) carriage_returns.look_at(*lines);
    if (auto asked = query.ask(*lines); !asked) return asked;
  }
  return {};
}

Result<ExitCode> query(const QueryOptions& options) {
  const Result<MappedFilter> filter = load_filter(options.filter);
  if (!filter) return filter.error();
  Query query(*filter, options);
  if (options.keys.empty()) {
    if (auto asked = ask_standard_input(query, options.quiet); !asked) return asked.error();
  } else {
    const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
    if (auto asked = query.ask(keys); !asked) return asked.error();
  }
  if (options.count && !options.quiet) std::printf("%llu\n", static_cast<unsigned long long>(query.selected()));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return file_error("output must be writable", "standard output");
  }
  return query.selected() > 0 ? kYes : kNo;
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("query", "Print the keys that a filter may contain");
  const auto options = std::make_shared<QueryOptions>();
  add_filter_argument(*command, options->filter);
  command->add_option("KEY", options->keys, "Keys to ask for; without any, the lines of standard input")
      ->transform(literal);
  command->add_flag("-v,--invert", options->invert, "Print the keys that are certainly absent instead");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: only the exit code answers");
  command->add_flag("-c,--count", options->count, "Print how many there are instead");
  command->footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Write -- before a "
                  "KEY that starts with -.\n") +
      kKeyLines);
  command->callback([options, &action] { action = [options] { return query(*options); }; });
}

}  // namespace crivo::tool
