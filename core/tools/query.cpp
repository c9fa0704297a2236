// crivo query: prints the keys that a filter may contain.
//
// If a segment of a mapped file is damaged, some keys have no answer. These keys count as "maybe", the safe answer, and
// are printed, or omitted with --invert. The exit code then reports an error.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "command.h"
#include "crivo/host/text.h"
#include "file.h"
#include "filter_file.h"
#include "numbers.h"
#include "selection.h"

namespace crivo::tool {
namespace {

struct QueryOptions {
  FilterArgument filter;
  std::vector<std::string> keys;
  SelectionFlags selection;
};

/// Queries the filter and prints the results, batch by batch.
class Query {
 public:
  Query(const FilterFile& filter, const SelectionFlags& flags)
      : filter_(filter),
        can_(std::visit([](const auto& file) { return file.kind().can; }, filter)),
        seed_(std::visit([](const auto& file) { return file.shape().seed; }, filter)),
        quiet_(flags.quiet),
        selection_(flags) {}

  /// With -q, returns false as soon as a key is selected or has no answer. Throws Refused for a key of a wrong form, or
  /// if no key can be answered any more, for instance because the file was changed.
  bool run(Keys keys) {
    const std::span<bool> hits = selection_.hits(keys.size());
    if (can_.find) {
      query_map(keys, hits);
      selection_.report(keys, hits,
                        [&](std::size_t i) { return hits[i] ? with_value(keys[i], i) : std::string(keys[i]); });
    } else {
      can_.range ? query_ranges(keys, hits) : query_keys(keys, hits);
      selection_.report(keys, hits);
    }
    return !quiet_ || selection_.selected() + unanswered_ == 0;
  }

  ExitCode finish() const {
    selection_.finish();
    if (unanswered_ > kMaxNamed) {
      std::fprintf(stderr, "crivo query: %llu keys have no answer, and count as \"maybe\"\n",
                   static_cast<unsigned long long>(unanswered_));
    }
    if (unanswered_ > 0) return kTrouble;
    return selection_.selected() > 0 ? kYes : kNo;
  }

 private:
  static constexpr std::uint64_t kUnknown = UINT64_MAX;  // the value of a key without an answer
  static constexpr std::uint64_t kMaxNamed = 5;          // the most unanswered keys that are reported one by one

  /// Prints a note if a key looks like a range but the filter is not of kind range. Such a text is looked up as a key.
  void note_ranges(Keys keys) {
    if (std::exchange(looked_for_ranges_, true) || quiet_) return;
    for (const std::string_view key : keys) {
      if (key.find("..") == std::string_view::npos || !parse_range(key)) continue;
      return note("query", in_quotes(key) + " is looked up as a key: only filters of kind range have ranges");
    }
  }

  void hash(Keys keys) {
    note_ranges(keys);
    hashes_.resize(keys.size());
    hash_keys(keys, seed_, hashes_);
  }

  void query_keys(Keys keys, std::span<bool> hits) {
    hash(keys);
    if (std::visit([&](const auto& file) { return file.may_contain_hashes(hashes_, hits); }, filter_)) return;
    query_each(keys, hits, [&](std::size_t i) {
      return std::visit([&](const auto& file) { return file.may_contain_hash(hashes_[i]); }, filter_);
    });
  }

  void query_ranges(Keys keys, std::span<bool> hits) {
    ranges_.clear();
    for (const std::string_view key : keys) {
      const auto range = parse_range(key);
      if (!range) {
        throw Refused("KEY must be an integer of 64 bits, or LO..HI, for a filter of kind range, got " +
                      in_quotes(key));
      }
      ranges_.push_back(*range);
    }
    const MappedFilter& file = *unwrap(as_mapped_filter(filter_));
    query_each(keys, hits, [&](std::size_t i) { return file.may_contain_range(ranges_[i].low, ranges_[i].high); });
  }

  void query_map(Keys keys, std::span<bool> hits) {
    hash(keys);
    values_.assign(keys.size(), kUnknown);
    const MappedFilter& file = *unwrap(as_mapped_filter(filter_));
    if (file.find_hashes(hashes_, values_, hits)) return;
    values_.assign(keys.size(), kUnknown);
    query_each(keys, hits, [&](std::size_t i) -> Result<bool> {
      const auto value = file.find_hash(hashes_[i]);
      if (!value.has_value()) return value.error();
      values_[i] = value->value_or(kUnknown);
      return value->has_value();
    });
  }

  [[nodiscard]] std::string with_value(std::string_view key, std::size_t i) const {
    return std::string(key) + '\t' + (values_[i] == kUnknown ? "?" : std::to_string(values_[i]));
  }

  /// Sets each hit to `Result<bool> answer(index)`; an error counts as a hit.
  template <class Answer>
  void query_each(Keys keys, std::span<bool> hits, const Answer& answer) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Result<bool> hit = answer(i);
      hits[i] = !hit.has_value() || *hit;
      if (hit.has_value()) continue;
      unwrap(std::visit([](const auto& file) { return file.may_contain_hashes({}, {}); }, filter_));
      if (++unanswered_ > kMaxNamed) continue;
      std::fprintf(stderr, "crivo query: %s has no answer, and counts as \"maybe\": %s\n", in_quotes(keys[i]).c_str(),
                   hit.error().message.c_str());
    }
  }

  const FilterFile& filter_;
  const Capabilities can_;
  const std::uint64_t seed_;
  bool quiet_;
  Selection selection_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> values_;  // of a map
  std::vector<OrderedRange> ranges_;
  bool looked_for_ranges_ = false;  // note_ranges() examines only the first batch
  std::uint64_t unanswered_ = 0;    // keys without an answer
};

/// Prints a note if a KEY is "-" or the name of a file, because other commands read keys from files given as arguments.
void note_files(const QueryOptions& options) {
  struct stat status {};
  const auto file = std::ranges::find_if(options.keys, [&](const std::string& key) {
    return key == "-" || (::stat(key.c_str(), &status) == 0 && S_ISREG(status.st_mode));
  });
  if (file == options.keys.end()) return;
  note("query", in_quotes(*file) + " is looked up as a key; " +
                    (*file == "-" ? "omit KEY to look up the lines of standard input"
                                  : "use < " + shown(*file) + " for the lines of that file"));
}

ExitCode query(const QueryOptions& options) try {
  const FilterFile filter = load_filter(options.filter);
  Query query(filter, options.selection);
  if (options.keys.empty()) {
    query_standard_input("query", options.selection, longest_line(options.filter),
                         [&](Keys keys) { return query.run(keys); });
  } else {
    if (!options.selection.quiet) note_files(options);
    const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
    query.run(keys);
  }
  return query.finish();
} catch (const Refused& refused) {
  throw in_file(refused, options.filter.path);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "query", "Print the keys that a filter may contain, with the values of a map", query);
  add_filter_argument(command, options.filter);
  add_option(command, "KEY", options.keys, "Keys to look up; without any, the lines of standard input");
  add_null_flag(command, options.selection.key_end);
  add_selection_flags(command, options.selection);
  command.footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Write -- before a "
                  "KEY that starts with -. For the kind range, a KEY is an integer, or a range LO..HI that includes "
                  "both.\n") +
      kKeyLines);
}

}  // namespace crivo::tool
