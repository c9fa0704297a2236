// crivo query: which keys may a filter contain?
//
// A damaged place of a mapped file leaves the keys without an answer that need it. Each is treated as "maybe", the one
// answer that makes nobody lose a key: it is printed, or left out with --invert. At the end the exit code tells of it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "command.h"
#include "crivo/host/text.h"
#include "file.h"
#include "filter_file.h"
#include "key_reader.h"
#include "numbers.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct QueryOptions {
  FilterArgument filter;
  std::vector<std::string> keys;
  KeyEnd key_end = KeyEnd::kNewline;
  bool invert = false;
  bool quiet = false;
  bool count = false;
};

/// Asks the filter and reports, batch by batch.
class Query {
 public:
  Query(const MappedFilter& filter, const QueryOptions& options) : filter_(filter), options_(options) {}

  [[nodiscard]] std::uint64_t selected() const noexcept { return selected_; }
  /// Keys that got no answer.
  [[nodiscard]] std::uint64_t unanswered() const noexcept { return unanswered_; }
  /// True once further keys cannot change what is reported.
  [[nodiscard]] bool done() const noexcept { return options_.quiet && selected_ + unanswered_ > 0; }

  /// Throws Refused where no key gets an answer any more, as when the file was changed.
  void ask(std::span<const std::string_view> keys) {
    if (hits_capacity_ < keys.size()) hits_ = std::make_unique<bool[]>(hits_capacity_ = keys.size());
    const std::span<bool> hits(hits_.get(), keys.size());
    if (filter_.kind().can.range) {
      ask_ranges(keys, hits);
    } else {
      ask_keys(keys, hits);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (hits[i] == options_.invert) continue;
      ++selected_;
      if (!options_.quiet && !options_.count) print_key(keys[i], options_.key_end);
    }
    std::fflush(stdout);  // a program that sends line after line waits for each answer
  }

  void sum_up() const {
    if (unanswered_ <= kMostNamed) return;
    std::fprintf(stderr, "crivo query: %llu keys have no answer, and count as \"maybe\"\n",
                 static_cast<unsigned long long>(unanswered_));
  }

 private:
  static constexpr std::uint64_t kMostNamed = 5;  // unanswered keys that get a line of their own

  /// A question about a range that a filter of another kind takes for a key would get a quiet "no".
  void note_ranges(std::span<const std::string_view> keys) {
    if (std::exchange(looked_for_ranges_, true) || options_.quiet) return;
    for (const std::string_view key : keys) {
      if (key.find("..") == std::string_view::npos || !parse_range(key)) continue;
      std::fprintf(stderr, "crivo query: note: %s is asked as a key: only a filter of kind range knows ranges\n",
                   in_quotes(key).c_str());
      return;
    }
  }

  void ask_keys(std::span<const std::string_view> keys, std::span<bool> hits) {
    note_ranges(keys);
    hashes_.resize(keys.size());
    hash_keys(keys, filter_.shape().seed, hashes_);
    if (filter_.may_contain_hashes(hashes_, hits)) return;
    ask_each(keys, hits, [&](std::size_t i) { return filter_.may_contain_hash(hashes_[i]); });
  }

  void ask_ranges(std::span<const std::string_view> keys, std::span<bool> hits) {
    ranges_.clear();
    for (const std::string_view key : keys) {
      const auto range = parse_range(key);
      if (!range) {
        throw Refused("KEY must be an integer of 64 bits, or LO..HI, for a filter of kind range, got " +
                      in_quotes(key));
      }
      ranges_.push_back(*range);
    }
    ask_each(keys, hits, [&](std::size_t i) { return filter_.may_contain_range(ranges_[i].low, ranges_[i].high); });
  }

  /// Sets the hits to what `Result<bool> answer(index)` says.
  template <class Answer>
  void ask_each(std::span<const std::string_view> keys, std::span<bool> hits, const Answer& answer) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Result<bool> hit = answer(i);
      hits[i] = !hit.has_value() || *hit;
      if (hit.has_value()) continue;
      unwrap(filter_.may_contain_hashes({}, {}));
      if (++unanswered_ > kMostNamed) continue;
      std::fprintf(stderr, "crivo query: %s has no answer, and counts as \"maybe\": %s\n", in_quotes(keys[i]).c_str(),
                   hit.error().message.c_str());
    }
  }

  const MappedFilter& filter_;
  const QueryOptions& options_;
  std::vector<std::uint64_t> hashes_;
  std::vector<OrderedRange> ranges_;
  std::unique_ptr<bool[]> hits_;
  std::size_t hits_capacity_ = 0;
  bool looked_for_ranges_ = false;  // among the first keys, which is enough to notice the mistake
  std::uint64_t selected_ = 0;
  std::uint64_t unanswered_ = 0;
};

/// Whether the keys that are printed are seen by nobody who waits for them, so that a bar can tell how far it is.
bool prints_out_of_sight(const QueryOptions& options) {
  struct stat status {};
  return options.quiet || options.count || (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode));
}

void ask_standard_input(Query& query, const QueryOptions& options) {
  KeyReader reader("-", options.key_end, longest_line(options.filter));
  CarriageReturnNote carriage_returns("query", options.key_end);
  Progress progress("asking");
  const bool shows = prints_out_of_sight(options);
  struct stat input {};
  const bool has_size = ::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && input.st_size > 0;
  std::uint64_t asked_keys = 0;
  while (!query.done() && std::ferror(stdout) == 0) {
    const auto lines = reader.next();
    if (lines.empty()) break;
    if (!options.quiet) carriage_returns.look_at(lines);
    query.ask(lines);
    asked_keys += lines.size();
    const double share = static_cast<double>(reader.bytes_read()) / static_cast<double>(input.st_size);
    if (shows) progress.update(has_size ? std::optional(share) : std::nullopt, asked_keys);
  }
}

/// Other commands read the keys from files that they are given.
void note_files(const QueryOptions& options) {
  struct stat status {};
  const auto file = std::ranges::find_if(options.keys, [&](const std::string& key) {
    return ::stat(key.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  });
  if (file == options.keys.end()) return;
  std::fprintf(stderr, "crivo query: note: %s is asked as a key; < %s asks for the lines of that file\n",
               in_quotes(*file).c_str(), shown(*file).c_str());
}

ExitCode query(const QueryOptions& options) try {
  const MappedFilter filter = load_filter(options.filter);
  Query query(filter, options);
  if (options.keys.empty()) {
    ask_standard_input(query, options);
  } else {
    if (!options.quiet) note_files(options);
    const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
    query.ask(keys);
  }
  if (options.count && !options.quiet) std::printf("%llu\n", static_cast<unsigned long long>(query.selected()));
  flush_output();
  query.sum_up();
  if (query.unanswered() > 0) return kTrouble;
  return query.selected() > 0 ? kYes : kNo;
} catch (const Refused& refused) {
  throw in_file(refused, options.filter.path);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("query", "Print the keys that a filter may contain");
  const auto options = std::make_shared<QueryOptions>();
  add_filter_argument(*command, options->filter);
  command->add_option("KEY", options->keys, "Keys to ask for; without any, the lines of standard input")
      ->transform(literal);
  add_null_flag(*command, options->key_end);
  command->add_flag("-v,--invert", options->invert, "Print the keys that are certainly absent instead");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: only the exit code answers");
  command->add_flag("-c,--count", options->count, "Print how many there are instead");
  command->footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Write -- before a "
                  "KEY that starts with -. A filter of kind range is asked for integers, and for ranges of them, "
                  "written LO..HI, both included.\n") +
      kKeyLines);
  command->callback([options, &action] { action = [options] { return query(*options); }; });
}

}  // namespace crivo::tool
