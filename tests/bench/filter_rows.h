// The measurements of `./dev bench filters`. Interleaved rounds expose the compared filters to the same state of the
// machine.
#pragma once

#include <map>
#include <vector>

#include "contestant.h"

namespace crivo::bench {

/// A way to query a filter, and the name of its column.
struct Mode {
  const char* column;
  unsigned hit_percent;
  std::uint64_t (Contestant::*ask)(const KeyList&) const;
};

inline constexpr Mode kModes[] = {
    {"absent", 0, &Contestant::one_by_one},    {"mixed", 50, &Contestant::one_by_one},
    {"present", 100, &Contestant::one_by_one}, {"dependent", 0, &Contestant::dependent},
    {"batch_absent", 0, &Contestant::batched}, {"batch_mixed", 50, &Contestant::batched},
};

/// The number of absent keys that are looked up to measure a rate.
inline constexpr std::size_t kRateQueries = 2'500'000;

/// The fraction of kRateQueries absent keys that pass a filter, which was built from `keys` keys.
[[nodiscard]] double false_positive_rate(const Contestant& contestant, std::uint64_t keys, std::size_t key_bytes = 8);

/// The measurements of one filter with one number of keys.
struct Row {
  std::string name;
  double bits_per_key = 0;
  double rate = 0;
  double temporary_bits_per_key = 0;                   // peak of the build, without the filter
  std::map<std::string, std::vector<double>> samples;  // "build" and each mode's column: ns per key for each round

  [[nodiscard]] double time(const std::string& column) const;
  /// Bits per key over log2(1 / rate), or 0 if no absent key was found.
  [[nodiscard]] double overhead() const;
};

/// The measurements of all filters with one number of keys.
struct SizeRows {
  std::uint64_t keys = 0;
  std::vector<Row> rows;

  /// The row of the filter with this name, or null.
  [[nodiscard]] const Row* find(const std::string& name) const;
};

/// The median over the rounds of one row's time divided by the other row's.
[[nodiscard]] double ratio(const Row& ours, const Row& theirs, const std::string& column);

/// The ratio after the time of the row `floor` is subtracted from both.
[[nodiscard]] double net_ratio(const Row& ours, const Row& theirs, const Row& floor, const std::string& column);

/// Builds and queries every contestant, round by round. The filters exist afterwards.
[[nodiscard]] SizeRows measure_size(std::vector<std::unique_ptr<Contestant>>& all, std::uint64_t keys,
                                    std::size_t key_bytes, unsigned rounds);

void print(const SizeRows& size);

/// The header of the lines that csv() returns.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string csv(const SizeRows& size);

}  // namespace crivo::bench
