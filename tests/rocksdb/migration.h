// A database that goes from one side to the other and back: RocksDB's filters, Crivo's, and both in one tree. A visit
// is one opening of it: all keys are looked for, some are added, a part is compacted, and all are looked for again.
#pragma once

#include <cstdint>
#include <string>

namespace crivo::testing {

enum class Compaction : std::uint8_t { kNone, kLowerHalf, kUpperHalf, kAll };

struct Visit {
  /// An option string of the column family: "block_based_table_factory={filter_policy=crivo.Auto}". If it is empty, the
  /// options are those of the database's last OPTIONS file.
  std::string options;
  std::uint64_t keys = 0;   // those that are there: key_of(0) to key_of(keys - 1)
  std::uint64_t added = 0;  // and how many this visit adds
  Compaction compaction = Compaction::kNone;
};

struct Visited {
  std::string policy;        // of the options that were used
  std::uint64_t lost = 0;    // of the keys that must be there, asked by Get, MultiGet and by seeks
  std::uint64_t useful = 0;  // how often a filter said no to the absent keys and prefixes
  std::uint64_t absent = 0;  // how many of those were asked for
  std::uint64_t files = 0;
  std::uint64_t with_ours = 0;  // files with a filter block of Crivo's
};

/// Throws std::runtime_error if the database does not open or a write fails.
[[nodiscard]] Visited visit(const std::string& path, const Visit& visit);

}  // namespace crivo::testing
