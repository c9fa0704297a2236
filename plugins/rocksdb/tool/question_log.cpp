#include "tool/question_log.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace crivo::tool {
namespace {

namespace fs = std::filesystem;

/// The number that stands behind these words; 0 if they, or it, are not there.
std::uint64_t number_behind(std::string_view line, std::string_view words) {
  const std::size_t found = line.find(words);
  std::uint64_t number = 0;
  if (found == std::string_view::npos) return number;
  const std::string_view rest = line.substr(found + words.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

/// Whether a list, "default, users", has the name.
bool lists(std::string_view names, std::string_view name) {
  const std::string padded = ", " + std::string(names) + ", ";
  return padded.find(", " + std::string(name) + ", ") != std::string::npos;
}

}  // namespace

void QuestionLog::read(std::istream& log) {
  std::string line;
  while (std::getline(log, line)) {
    if (line.find("crivo.") != std::string::npos) take_counters(line);
    if (line.find("rocksdb.bloom.filter.") != std::string::npos) take_statistic(line);
  }
}

// "... crivo.Auto [default]: blocked: ..., asked 30 times (0 in batches), answered no 20 times; ribbon: ...", as
// report/counters.cpp writes it.
void QuestionLog::take_counters(std::string_view line) {
  const std::size_t name = line.find("crivo.");
  const std::size_t open = line.find(" [", name);
  const std::size_t close = line.find("]: blocked: ", name);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  if (!lists(line.substr(open + 2, close - open - 2), family_)) return;
  AskedFilters read{"counters", 0, 0, std::nullopt};
  std::uint64_t answered_no = 0;
  for (std::string_view rest = line.substr(close); !rest.empty();) {
    const std::string_view kind = rest.substr(0, rest.find(';'));
    read.asked += number_behind(kind, ", asked ");
    answered_no += number_behind(kind, ", answered no ");
    rest.remove_prefix(std::min(kind.size() + 1, rest.size()));
  }
  read.passed = read.asked - std::min(answered_no, read.asked);
  if (read.asked > 0) counters_ = read;
}

// "rocksdb.bloom.filter.useful COUNT : 20"
void QuestionLog::take_statistic(std::string_view line) {
  const auto take = [&](std::string_view name, std::uint64_t& number) {
    const std::string words = "rocksdb.bloom.filter." + std::string(name) + " COUNT : ";
    if (line.find(words) != std::string_view::npos) number = number_behind(line, words);
  };
  take("useful", useful_);
  take("full.positive", positive_);
  take("full.true.positive", true_positive_);
}

std::optional<AskedFilters> QuestionLog::asked() const {
  if (counters_.asked > 0) return counters_;
  if (useful_ + positive_ == 0) return std::nullopt;
  return AskedFilters{"statistics", useful_ + positive_, positive_, positive_ - std::min(true_positive_, positive_)};
}

std::optional<AskedFilters> asked_filters(const std::string& db_path, const std::string& column_family) {
  std::vector<fs::path> logs;  // the oldest first: the names end in the time at which they were put away
  std::error_code error;
  for (fs::directory_iterator entry(db_path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with("LOG.old.")) logs.push_back(entry->path());
  }
  std::ranges::sort(logs);
  logs.push_back(fs::path(db_path) / "LOG");
  QuestionLog questions(column_family);
  for (const fs::path& path : logs) {
    if (!fs::is_regular_file(path, error)) continue;  // to open a pipe is to wait for its other end
    std::ifstream log(path, std::ios::binary);
    questions.read(log);
  }
  return questions.asked();
}

}  // namespace crivo::tool
