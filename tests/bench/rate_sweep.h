// Bits per key against the rate: what each kind pays for a rate, beside the information limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crivo::bench {

/// One filter of one size, asked for at one rate.
struct RatePoint {
  std::string filter;  // a kind of ours, or one of RocksDB's
  std::uint64_t keys = 0;
  double asked = 0;     // rate; 0 for filters that are sized by bits
  double measured = 0;  // over kRateQueries absent keys
  double bits_per_key = 0;
};

/// The ribbon at these sizes, and at the last of them every kind that takes a rate, and RocksDB's.
[[nodiscard]] std::vector<RatePoint> sweep_rates(const std::vector<std::uint64_t>& sizes);

void print(const std::vector<RatePoint>& points);
[[nodiscard]] std::string rates_csv(const std::vector<RatePoint>& points);

}  // namespace crivo::bench
