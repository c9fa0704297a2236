#include "rate_sweep.h"

#include <cmath>
#include <cstdio>
#include <sstream>

#include "filter_rows.h"

namespace crivo::bench {
namespace {

constexpr unsigned kMaxColumns = 16;

RatePoint point(Contestant& contestant, std::string filter, std::uint64_t keys, double asked) {
  contestant.build(present_keys(keys, 8));
  return {std::move(filter), keys, asked, false_positive_rate(contestant, keys),
          contestant.bits() / static_cast<double>(keys)};
}

std::vector<double> ribbon_rates() {
  std::vector<double> rates;
  for (unsigned columns = 1; columns <= kMaxColumns; ++columns) rates.push_back(std::ldexp(1, -int(columns)));
  for (const double rate : {0.2, 0.1, 0.05, 0.03, 0.01, 0.003, 0.001, 0.0001}) rates.push_back(rate);
  return rates;
}

}  // namespace

std::vector<RatePoint> sweep_rates(const std::vector<std::uint64_t>& sizes) {
  std::vector<RatePoint> points;
  for (const std::uint64_t keys : sizes) {
    for (const double rate : ribbon_rates()) points.push_back(point(*make_crivo("ribbon", rate), "ribbon", keys, rate));
  }
  const std::uint64_t keys = sizes.back();
  for (const std::string kind : {"blocked", "classic", "cuckoo", "hash_compaction"}) {
    for (const double rate : {0.1, 0.03, 0.01, 0.003, 0.001}) {
      points.push_back(point(*make_crivo(kind, rate), kind, keys, rate));
    }
  }
  for (const std::string policy : {"Bloom", "Ribbon"}) {
    for (const double bits : {5.0, 7.0, 10.0, 12.0, 15.0}) {
      points.push_back(point(*make_rocksdb(policy, bits), "RocksDB " + policy, keys, 0));
    }
  }
  return points;
}

void print(const std::vector<RatePoint>& points) {
  std::printf("\n%-16s %10s %12s %12s %9s %7s\n", "", "keys", "asked %", "measured %", "bits/key", "over");
  for (const RatePoint& point : points) {
    const double rate = point.asked > 0 ? point.asked : point.measured;
    std::printf("%-16s %10llu %12.5f %12.5f %9.3f %7.4f\n", point.filter.c_str(),
                static_cast<unsigned long long>(point.keys), 100 * point.asked, 100 * point.measured,
                point.bits_per_key, point.bits_per_key / -std::log2(rate));
  }
  std::fflush(stdout);
}

std::string rates_csv(const std::vector<RatePoint>& points) {
  std::ostringstream lines;
  lines << "filter,keys,asked_rate,measured_rate,bits_per_key\n";
  for (const RatePoint& point : points) {
    lines << '"' << point.filter << "\"," << point.keys << ',' << point.asked << ',' << point.measured << ','
          << point.bits_per_key << '\n';
  }
  return lines.str();
}

}  // namespace crivo::bench
