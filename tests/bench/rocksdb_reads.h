// Lookups in a complete database, and their costs.
#pragma once

#include "rocksdb_database.h"

namespace crivo::bench {

/// A kind of lookup: Get, or MultiGet of kMultiGet keys.
struct Workload {
  const char* name;
  unsigned hit_percent;
  bool multi;
};

inline constexpr Workload kWorkloads[] = {
    {"get absent", 0, false},     {"get mixed", 50, false},     {"get present", 100, false},
    {"multiget absent", 0, true}, {"multiget mixed", 50, true}, {"multiget present", 100, true},
};
inline constexpr std::size_t kMultiGet = 32;

/// RocksDB's counters during the lookups.
struct Counters {
  std::uint64_t questions = 0;       // keys, not calls
  std::uint64_t data_reads = 0;      // data blocks that were not in the block cache
  std::uint64_t data_hits = 0;       // data blocks that were in the block cache
  std::uint64_t metadata_reads = 0;  // blocks of indexes and filters that were not in the block cache
  std::uint64_t useful = 0;          // lookups in a file that a filter avoided
  std::uint64_t positive = 0;        // lookups for which a filter said "maybe"
  std::uint64_t true_positive = 0;   // and the key was present

  Counters& operator+=(const Counters& other);
  Counters& operator-=(const Counters& other);
  /// The count per thousand lookups.
  [[nodiscard]] double per_thousand(std::uint64_t count) const;
};

/// One round of one workload.
struct Asked {
  double seconds = 0;
  double cpu = 0;
  double p50 = 0;  // in microseconds; for MultiGet, of a whole call
  double p99 = 0;
  Counters counters;
};

/// The value below which the given fraction of the samples is. There must be at least one sample.
[[nodiscard]] double quantile(std::vector<double> samples, double share);

/// Looks up `questions` keys. Throws std::runtime_error if a present key is not found, or an absent key is.
[[nodiscard]] Asked ask(Database& database, const Workload& workload, std::uint64_t questions, std::uint64_t seed);

}  // namespace crivo::bench
