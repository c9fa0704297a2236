#include "filter_rows.h"

#include <cmath>
#include <cstdio>
#include <sstream>

#include "measure.h"

namespace crivo::bench {
namespace {

constexpr std::size_t kQueriesPerRound = 1 << 20;

void measure_round(Contestant& contestant, Row& row, const KeyList& keys, const std::vector<KeyList>& asked) {
  row.samples["build"].push_back(nanoseconds([&] { contestant.build(keys); }) / static_cast<double>(keys.size()));
  for (std::size_t i = 0; i < std::size(kModes); ++i) {
    volatile std::uint64_t hits = 0;
    const double total = nanoseconds([&] { hits = (contestant.*kModes[i].ask)(asked[i]); });
    row.samples[kModes[i].column].push_back(total / static_cast<double>(asked[i].size()));
  }
}

}  // namespace

double false_positive_rate(const Contestant& contestant, std::uint64_t keys, std::size_t key_bytes) {
  const auto hits = contestant.one_by_one(questions(Queries(keys, 0, 99), kRateQueries, key_bytes));
  return static_cast<double>(hits) / kRateQueries;
}

double Row::time(const std::string& column) const { return median(samples.at(column)); }

double Row::overhead() const { return rate > 0 ? bits_per_key / -std::log2(rate) : 0; }

const Row* SizeRows::find(const std::string& name) const {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

double ratio(const Row& ours, const Row& theirs, const std::string& column) {
  return median_ratio(ours.samples.at(column), theirs.samples.at(column));
}

double net_ratio(const Row& ours, const Row& theirs, const Row& floor, const std::string& column) {
  std::vector<double> ratios = ours.samples.at(column);
  for (std::size_t round = 0; round < ratios.size(); ++round) {
    const double less = floor.samples.at(column)[round];
    ratios[round] = (ratios[round] - less) / (theirs.samples.at(column)[round] - less);
  }
  return median(ratios);
}

SizeRows measure_size(std::vector<std::unique_ptr<Contestant>>& all, std::uint64_t keys, std::size_t key_bytes,
                      unsigned rounds) {
  SizeRows size{keys, std::vector<Row>(all.size())};
  const KeyList present = present_keys(keys, key_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Row& row = size.rows[i];
    const std::size_t peak = peak_bytes([&] { all[i]->build(present); });
    row.name = all[i]->name();
    row.bits_per_key = all[i]->bits() / static_cast<double>(keys);
    row.temporary_bits_per_key = 8.0 * static_cast<double>(peak) / static_cast<double>(keys) - row.bits_per_key;
    row.rate = false_positive_rate(*all[i], keys, key_bytes);
  }
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<KeyList> asked;
    for (const Mode& mode : kModes) {
      asked.push_back(questions(Queries(keys, mode.hit_percent, round + 1), kQueriesPerRound, key_bytes));
    }
    for (std::size_t i = 0; i < all.size(); ++i) measure_round(*all[i], size.rows[i], present, asked);
  }
  return size;
}

void print(const SizeRows& size) {
  std::printf("\n%llu keys\n%-28s %8s %9s %6s %7s %7s", static_cast<unsigned long long>(size.keys), "", "bits/key",
              "rate %", "over", "temp", "build");
  for (const Mode& mode : kModes) std::printf(" %12s", mode.column);
  std::printf("\n");
  for (const Row& row : size.rows) {
    std::printf("%-28s %8.2f %9.4f %6.3f %7.1f %7.1f", row.name.c_str(), row.bits_per_key, 100 * row.rate,
                row.overhead(), row.temporary_bits_per_key, row.time("build"));
    for (const Mode& mode : kModes) std::printf(" %12.2f", row.time(mode.column));
    std::printf("\n");
  }
  std::fflush(stdout);
}

std::string csv_header() {
  std::string header = "keys,filter,bits_per_key,rate,overhead,temporary_bits_per_key,build_ns";
  for (const Mode& mode : kModes) header.append(",").append(mode.column).append("_ns");
  return header;
}

std::string csv(const SizeRows& size) {
  std::ostringstream lines;
  for (const Row& row : size.rows) {
    lines << size.keys << ",\"" << row.name << "\"," << row.bits_per_key << ',' << row.rate << ',' << row.overhead()
          << ',' << row.temporary_bits_per_key << ',' << row.time("build");
    for (const Mode& mode : kModes) lines << ',' << row.time(mode.column);
    lines << '\n';
  }
  return lines.str();
}

}  // namespace crivo::bench
