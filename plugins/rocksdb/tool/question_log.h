// What LOG says of the questions that the filters of a database were asked.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace crivo::tool {

/// Questions to single filters: one for a key asks a filter in each sorted run that may have it.
struct AskedFilters {
  std::string source;        // "counters": those of Crivo's policy; "statistics": RocksDB's, of the whole database
  std::uint64_t asked = 0;   // by keys; those by prefix are not among RocksDB's
  std::uint64_t passed = 0;  // answered "maybe"
  std::optional<std::uint64_t> in_vain;  // of these, those for a key that was not in the file; RocksDB's only
};

/// Reads a LOG, and has in the end what its last lines say. The counters of a policy are of all its questions so far,
/// as are RocksDB's statistics. Those of the policy are preferred, as they are for this column family.
class QuestionLog {
 public:
  explicit QuestionLog(std::string column_family) : family_(std::move(column_family)) {}

  void read(std::istream& log);
  /// No value if LOG says of no question.
  [[nodiscard]] std::optional<AskedFilters> asked() const;

 private:
  void take_counters(std::string_view line);
  void take_statistic(std::string_view line);

  std::string family_;
  AskedFilters counters_;
  std::uint64_t useful_ = 0;
  std::uint64_t positive_ = 0;
  std::uint64_t true_positive_ = 0;
};

/// The same of the LOG of a database and of those before it, LOG.old.*; no value if they cannot be read.
[[nodiscard]] std::optional<AskedFilters> asked_filters(const std::string& db_path, const std::string& column_family);

}  // namespace crivo::tool
