// What the LOG of a database says of its Gets: plugin::log_gets wrote it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace crivo::tool {

/// The Gets of the last session that logged any, of all column families. A MultiGet counts once for each key.
struct LoggedGets {
  std::uint64_t in_files = 0;                // those that no memtable answered
  std::uint64_t found = 0;                   // of these, those that found a value
  std::uint64_t filter_negatives = 0;        // file reads that filters spared
  std::uint64_t filter_false_positives = 0;  // file reads that filters let pass in vain

  [[nodiscard]] double found_share() const { return static_cast<double>(found) / static_cast<double>(in_files); }
};

/// The last line of a log that counts Gets; no value if none does.
[[nodiscard]] std::optional<LoggedGets> read_gets(std::istream& log);
/// That of LOG, or else of the newest LOG.old.* with such a line.
[[nodiscard]] std::optional<LoggedGets> logged_gets(const std::string& db_path);

}  // namespace crivo::tool
