// Reads the counts of Gets that plugin::log_gets wrote into a database's LOG.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace crivo::tool {

/// The Gets of the last session that logged Gets, over all column families. A MultiGet counts once per key.
struct LoggedGets {
  std::uint64_t in_files = 0;                // not answered by a memtable
  std::uint64_t found = 0;                   // of these, with a value
  std::uint64_t filter_negatives = 0;        // file reads that filters saved
  std::uint64_t filter_false_positives = 0;  // file reads after false positives

  [[nodiscard]] double found_share() const { return static_cast<double>(found) / static_cast<double>(in_files); }
};

/// The last line of a log with counts of Gets; no value if there is none.
[[nodiscard]] std::optional<LoggedGets> read_gets(std::istream& log);
/// The same from LOG, or else from the newest LOG.old.* that has such a line.
[[nodiscard]] std::optional<LoggedGets> logged_gets(const std::string& db_path);

}  // namespace crivo::tool
