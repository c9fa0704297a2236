// A section of `./dev bench rocksdb`: rivals that have something in common, each with a whole database, measured in
// interleaved rounds.
#pragma once

#include <map>

#include "rocksdb_reads.h"
#include "times.h"

namespace crivo::bench {

struct Effort {
  unsigned rounds = 5;
  std::uint64_t questions = 100'000;  // of each workload in each round
  bool rewrites = false;              // measure compactions that write every file once more
  std::string folder;                 // the databases lie in there
};

/// What was measured of one rival. The vectors have a value for each round.
struct Side {
  Rival rival;
  Tree tree;  // after the fill
  Cost fill;
  std::vector<Cost> rewrites;
  std::map<std::string, std::vector<Asked>> asked;  // by the workload's name

  /// A figure of each round of a workload.
  [[nodiscard]] std::vector<double> figures(const std::string& workload, double (*figure)(const Asked&)) const;
  /// What all rounds of a workload counted.
  [[nodiscard]] Counters counters(const std::string& workload) const;
};

[[nodiscard]] double thousands_per_second(const Asked& asked);
[[nodiscard]] double cpu_microseconds(const Asked& asked);  // for each key

/// Fills a database for each rival, asks them round by round, and removes them. Throws std::runtime_error if a filter
/// spares nothing, or if an answer is wrong.
[[nodiscard]] std::vector<Side> measure_section(const std::vector<Rival>& rivals, const Shape& shape,
                                                const Effort& effort);

/// Prints the tables of a section; ratios are over its first side.
void print_section(const std::string& title, const std::vector<Side>& sides);

/// Judges our ribbon by target T7 of docs/benchmarks/targets.csv, over the first side, which must be RocksDB's Bloom.
void print_target_7(const std::vector<Side>& sides);

[[nodiscard]] std::string section_csv_header();
[[nodiscard]] std::string section_csv(const std::string& section, const std::vector<Side>& sides);

}  // namespace crivo::bench
