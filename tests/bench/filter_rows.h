// What `./dev bench filters` measures of each filter, and how: interleaved rounds, so that both sides of a comparison
// see the same moods of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contestant.h"

namespace crivo::bench {

/// A way of asking; its column's name.
struct Mode {
  const char* column;
  unsigned hit_percent;
  std::uint64_t (Contestant::*ask)(Queries, std::size_t) const;
};

inline constexpr Mode kModes[] = {
    {"absent", 0, &Contestant::one_by_one},    {"mixed", 50, &Contestant::one_by_one},
    {"present", 100, &Contestant::one_by_one}, {"dependent", 0, &Contestant::dependent},
    {"batch_absent", 0, &Contestant::batched}, {"batch_mixed", 50, &Contestant::batched},
};

/// Absent keys that a rate is measured with.
inline constexpr std::size_t kRateQueries = 2'500'000;

/// One filter at one size.
struct Row {
  std::string name;
  double bits_per_key = 0;
  double rate = 0;
  double temporary_bits_per_key = 0;                   // peak of the build beyond the filter
  std::map<std::string, std::vector<double>> samples;  // "build" and each mode's column: ns per key, round by round

  [[nodiscard]] double time(const std::string& column) const;
  /// Bits per key over log2(1 / rate); 0 where no absent key was found.
  [[nodiscard]] double overhead() const;
};

/// All filters at one size.
struct SizeRows {
  std::uint64_t keys = 0;
  std::vector<Row> rows;

  /// Null where there is no filter of this name.
  [[nodiscard]] const Row* find(const std::string& name) const;
};

/// Median over the rounds of one row's time over the other's.
[[nodiscard]] double ratio(const Row& ours, const Row& theirs, const std::string& column);

/// The same without what the row `floor` takes of both.
[[nodiscard]] double net_ratio(const Row& ours, const Row& theirs, const Row& floor, const std::string& column);

/// Builds and asks every contestant, round by round. They are left built.
[[nodiscard]] SizeRows measure_size(std::vector<std::unique_ptr<Contestant>>& all, std::uint64_t keys, unsigned rounds);

void print(const SizeRows& size);

/// The header of write_csv's lines.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string csv(const SizeRows& size);

}  // namespace crivo::bench
