// A section of `./dev bench rocksdb`: compares rivals in interleaved rounds. Each rival has a complete database.
#pragma once

#include <map>

#include "rocksdb_reads.h"
#include "times.h"

namespace crivo::bench {

struct Effort {
  unsigned rounds = 5;
  std::uint64_t questions = 100'000;  // per workload and round
  bool rewrites = false;              // whether to measure compactions that rewrite every file
  std::string folder;                 // contains the databases
};

/// The measurements of one rival. The vectors have one element per round.
struct Side {
  Rival rival;
  Tree tree;  // after the fill
  Cost fill;
  std::vector<Cost> rewrites;
  std::map<std::string, std::vector<Asked>> asked;  // by name of the workload

  /// A figure of a workload, for each round.
  [[nodiscard]] std::vector<double> figures(const std::string& workload, double (*figure)(const Asked&)) const;
  /// The sum of the counters over all rounds of a workload.
  [[nodiscard]] Counters counters(const std::string& workload) const;
};

[[nodiscard]] double thousands_per_second(const Asked& asked);
[[nodiscard]] double cpu_microseconds(const Asked& asked);  // per key

/// Fills a database for each rival, queries them round by round, and removes them. Throws std::runtime_error if a
/// filter avoids no reads, or if an answer is wrong.
[[nodiscard]] std::vector<Side> measure_section(const std::vector<Rival>& rivals, const Shape& shape,
                                                const Effort& effort);

/// Prints the tables of a section. Ratios are relative to its first side.
void print_section(const std::string& title, const std::vector<Side>& sides);

/// Compares Crivo's ribbon with target T7 of docs/benchmarks/targets.csv. The first side must be RocksDB's Bloom.
void print_target_7(const std::vector<Side>& sides);

[[nodiscard]] std::string section_csv_header();
[[nodiscard]] std::string section_csv(const std::string& section, const std::vector<Side>& sides);

}  // namespace crivo::bench
