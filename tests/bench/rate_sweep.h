// Compares the bits per key that each kind needs for a rate with the information limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crivo::bench {

/// One filter for one rate and one number of keys.
struct RatePoint {
  std::string filter;  // a kind of Crivo, or a filter of RocksDB
  std::uint64_t keys = 0;
  double asked = 0;     // the requested rate; 0 for filters that are sized by bits
  double measured = 0;  // the rate measured with kRateQueries absent keys
  double bits_per_key = 0;
};

/// Measures the ribbon at all these numbers of keys. At the last one, also measures RocksDB's filters and every kind
/// that is sized by a rate.
[[nodiscard]] std::vector<RatePoint> sweep_rates(const std::vector<std::uint64_t>& sizes);

void print(const std::vector<RatePoint>& points);
[[nodiscard]] std::string rates_csv(const std::vector<RatePoint>& points);

}  // namespace crivo::bench
