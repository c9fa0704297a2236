// `./dev bench filters`: our kinds beside RocksDB's filters and std::unordered_set, in one process, rounds interleaved.
//
// Every figure includes the hashing of eight-byte keys. Times are medians over the rounds, in nanoseconds per key.
// "over" is bits per key over the information limit log2(1 / rate), at the rate measured over 2.5 million absent keys.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "contestant.h"
#include "crivo/filter.h"
#include "crivo/version.h"
#include "measure.h"

namespace crivo::bench {
namespace {

constexpr std::size_t kQueriesPerRound = 1 << 20;
constexpr std::size_t kRateQueries = 2'500'000;

struct Options {
  std::vector<std::uint64_t> sizes;
  bool large = false;
  unsigned rounds = 7;
  std::string csv;
  std::string only;
};

struct Row {
  std::string name;
  double bits_per_key = 0;
  double rate = 0;
  double temporary_bits_per_key = 0;
  std::map<std::string, std::vector<double>> samples;  // by column, ns per key

  double time(const std::string& column) { return median(samples[column]); }
  double overhead() const { return rate > 0 ? bits_per_key / -std::log2(rate) : 0; }
};

struct Mode {
  const char* column;
  unsigned hit_percent;
  std::uint64_t (Contestant::*ask)(Queries, std::size_t) const;
};

constexpr Mode kModes[] = {
    {"absent", 0, &Contestant::one_by_one},    {"mixed", 50, &Contestant::one_by_one},
    {"present", 100, &Contestant::one_by_one}, {"dependent", 0, &Contestant::dependent},
    {"batch_absent", 0, &Contestant::batched}, {"batch_mixed", 50, &Contestant::batched},
};

std::vector<std::unique_ptr<Contestant>> contestants() {
  std::vector<std::unique_ptr<Contestant>> all;
  const auto join = [&](std::unique_ptr<Contestant> one) {
    if (one != nullptr) all.push_back(std::move(one));
  };
  for (const double bits : {10.0, 16.0}) {
    join(make_rocksdb("Bloom", bits));
    join(make_crivo_bits("blocked", bits));
  }
  join(make_plugin("crivo.Bloom:10"));
  join(make_rocksdb("Ribbon", 10));
  for (const KindInfo& info : kinds()) join(make_crivo(std::string(info.name), 0.01));
  join(make_hash_set());
  return all;
}

void measure_round(Contestant& contestant, Row& row, std::uint64_t keys, std::uint64_t round) {
  row.samples["build"].push_back(nanoseconds([&] { contestant.build(keys); }) / static_cast<double>(keys));
  for (const Mode& mode : kModes) {
    const Queries queries(keys, mode.hit_percent, round + 1);
    volatile std::uint64_t hits = 0;
    const double total = nanoseconds([&] { hits = (contestant.*mode.ask)(queries, kQueriesPerRound); });
    row.samples[mode.column].push_back(total / kQueriesPerRound);
  }
}

std::vector<Row> measure_size(std::uint64_t keys, const Options& options) {
  auto all = contestants();
  if (!options.only.empty()) {
    std::erase_if(all, [&](const auto& one) { return one->name().find(options.only) == std::string::npos; });
  }
  std::vector<Row> rows(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t peak = peak_bytes([&] { all[i]->build(keys); });
    rows[i].name = all[i]->name();
    rows[i].bits_per_key = all[i]->bits() / static_cast<double>(keys);
    rows[i].temporary_bits_per_key = 8.0 * static_cast<double>(peak) / static_cast<double>(keys) - rows[i].bits_per_key;
    rows[i].rate = static_cast<double>(all[i]->one_by_one(Queries(keys, 0, 99), kRateQueries)) / kRateQueries;
  }
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) measure_round(*all[i], rows[i], keys, round);
  }
  return rows;
}

void print_rows(std::uint64_t keys, std::vector<Row>& rows) {
  std::printf("\n%llu keys\n%-28s %8s %9s %6s %7s %7s", static_cast<unsigned long long>(keys), "", "bits/key", "rate %",
              "over", "temp", "build");
  for (const Mode& mode : kModes) std::printf(" %12s", mode.column);
  std::printf("\n");
  for (Row& row : rows) {
    std::printf("%-28s %8.2f %9.4f %6.3f %7.1f %7.1f", row.name.c_str(), row.bits_per_key, 100 * row.rate,
                row.overhead(), row.temporary_bits_per_key, row.time("build"));
    for (const Mode& mode : kModes) std::printf(" %12.2f", row.time(mode.column));
    std::printf("\n");
  }
}

void write_csv(std::ofstream& csv, std::uint64_t keys, std::vector<Row>& rows) {
  for (Row& row : rows) {
    csv << keys << ",\"" << row.name << "\"," << row.bits_per_key << ',' << row.rate << ',' << row.overhead() << ','
        << row.temporary_bits_per_key << ',' << row.time("build");
    for (const Mode& mode : kModes) csv << ',' << row.time(mode.column);
    csv << '\n';
  }
}

int run(const Options& options) {
  std::printf("crivo %.*s, kernels %.*s; ns per key, medians of %u rounds\n", int(version().size()), version().data(),
              int(active_isa().size()), active_isa().data(), options.rounds);
  std::printf(
      "baseline: the installed RocksDB; Debian's is an assert build without AVX2, not a fair comparison of speed\n");
  std::ofstream csv;
  if (!options.csv.empty()) {
    csv.open(options.csv);
    csv << "keys,filter,bits_per_key,rate,overhead,temporary_bits_per_key,build_ns";
    for (const Mode& mode : kModes) csv << ',' << mode.column << "_ns";
    csv << '\n';
  }
  for (const std::uint64_t keys : options.sizes) {
    auto rows = measure_size(keys, options);
    print_rows(keys, rows);
    if (csv.is_open()) write_csv(csv, keys, rows);
  }
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  crivo::bench::Options options;
  CLI::App app("Our filters beside RocksDB's and std::unordered_set", "bench_filters");
  app.add_option("--sizes", options.sizes, "numbers of keys (default 10000 100000 1000000 10000000)");
  app.add_flag("--large", options.large, "100000000 keys too; takes about 10 GB");
  app.add_option("--rounds", options.rounds, "interleaved rounds")->check(CLI::Range(1U, 1000U));
  app.add_option("--csv", options.csv, "write the rows to this file as well");
  app.add_option("--only", options.only, "contestants whose name contains this");
  CLI11_PARSE(app, argc, argv);
  if (options.sizes.empty()) options.sizes = {10'000, 100'000, 1'000'000, 10'000'000};
  if (options.large) options.sizes.push_back(100'000'000);
  return crivo::bench::run(options);
}
