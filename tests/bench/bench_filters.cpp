// `./dev bench filters`: compares Crivo's kinds with RocksDB's filters and std::unordered_set, in interleaved rounds.
//
// Every figure includes hashing the keys, which are in memory. Times are medians over the rounds, in nanoseconds per
// key. "over" is bits per key over the information limit log2(1 / rate), at the rate measured with 2.5 million absent
// keys. The last table compares the run with Crivo's targets.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "crivo/filter.h"
#include "crivo/version.h"
#include "rocksdb_library.h"
#include "targets.h"

namespace crivo::bench {
namespace {

constexpr std::uint64_t kLarge = 100'000'000;

struct Options {
  std::vector<std::uint64_t> sizes;
  std::size_t key_bytes = 8;
  bool large = false;
  bool sweep = true;
  unsigned rounds = 7;
  std::string csv;
  std::string rates_csv;
  std::string only;
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;

void join(Contestants& all, std::unique_ptr<Contestant> one) {
  if (one != nullptr) all.push_back(std::move(one));
}

void join_rocksdb(Contestants& all, const std::string& policy, double bits) {
  join(all, make_rocksdb(policy, bits));
  join(all, make_source_rocksdb(policy, bits));
}

Contestants contestants() {
  Contestants all;
  join(all, make_hash_only());
  for (const double bits : {10.0, 16.0}) {
    join_rocksdb(all, "Bloom", bits);
    join(all, make_crivo_bits("blocked", bits));
  }
  join(all, make_plugin("crivo.Bloom:10"));
  join_rocksdb(all, "Ribbon", 10);
  join(all, make_plugin("crivo.Ribbon:10:-1"));
  for (const KindInfo& info : kinds()) {
    // bench_maps.cpp measures maps. A window has the rate only if its keys arrive over time.
    if (!info.can.needs_values() && !info.can.advance) join(all, make_crivo(std::string(info.name), 0.01));
  }
  join(all, make_crivo("ribbon:32", 0.01));
  for (const std::string kind : {"blocked", "ribbon", "ribbon:32"}) join(all, make_crivo_on("avx2", kind, 0.01));
  join(all, make_hash_set());
  return all;
}

/// The contestants that are also measured with kLarge keys. The others would need too much memory and time.
Contestants large_contestants() {
  Contestants all;
  join(all, make_hash_only());
  join_rocksdb(all, "Bloom", 10);
  join(all, make_crivo_bits("blocked", 10));
  join(all, make_plugin("crivo.Bloom:10"));
  join_rocksdb(all, "Ribbon", 10);
  for (const double fp_rate : {0.01, 1e-6}) {
    for (const std::string kind : {"ribbon", "ribbon:32"}) join(all, make_crivo(kind, fp_rate));
  }
  return all;
}

void print_header(const Options& options) {
  std::printf("crivo %.*s, kernels %.*s; ns per key of %zu bytes, medians of %u rounds\n", int(version().size()),
              version().data(), int(active_isa().size()), active_isa().data(), options.key_bytes, options.rounds);
  std::printf("%s: the installed library; Debian's is an assert build without AVX2\n", kInstalledRocksdb);
  if (const RocksdbLibrary* library = RocksdbLibrary::get()) {
    std::printf("%s: %s\n", kSourceRocksdb, library->path().c_str());
  }
}

std::vector<SizeRows> measure_sizes(const Options& options) {
  std::vector<SizeRows> sizes;
  for (const std::uint64_t keys : options.sizes) {
    Contestants all = keys < kLarge ? contestants() : large_contestants();
    std::erase_if(all, [&](const auto& one) { return one->name().find(options.only) == std::string::npos; });
    sizes.push_back(
        measure_size(all, keys, options.key_bytes, keys < kLarge ? options.rounds : std::min(options.rounds, 3U)));
    print(sizes.back());
  }
  return sizes;
}

void run(const Options& options) {
  print_header(options);
  const std::vector<SizeRows> sizes = measure_sizes(options);
  std::vector<RatePoint> rates;
  if (options.sweep) {
    rates = sweep_rates({10'000, 100'000, 1'000'000});
    print(rates);
  }
  print_targets(sizes, rates, RocksdbLibrary::get() != nullptr ? kSourceRocksdb : "");
  if (!options.csv.empty()) {
    std::ofstream file(options.csv);
    file << csv_header() << '\n';
    for (const SizeRows& size : sizes) file << csv(size);
  }
  if (!options.rates_csv.empty()) std::ofstream(options.rates_csv) << rates_csv(rates);
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) try {
  using crivo::bench::kLarge;
  crivo::bench::Options options;
  CLI::App app("Our filters beside RocksDB's and std::unordered_set", "bench_filters");
  app.add_option("--sizes", options.sizes, "numbers of keys (default 10000 100000 1000000 10000000)");
  app.add_option("--key-bytes", options.key_bytes, "length of the keys, in memory one after the other (default 8)")
      ->check(CLI::Range(8, 1000));
  app.add_flag("--large", options.large, "100000000 keys too, for some filters; takes about 8 GB and some minutes");
  app.add_flag("!--no-sweep", options.sweep, "leave out sizes against rates");
  app.add_option("--rounds", options.rounds, "interleaved rounds; at most 3 for 100000000 keys")
      ->check(CLI::Range(1U, 1000U));
  app.add_option("--csv", options.csv, "write the rows to this file as well");
  app.add_option("--rates-csv", options.rates_csv, "write sizes against rates to this file as well");
  app.add_option("--only", options.only, "contestants whose name contains this");
  CLI11_PARSE(app, argc, argv);
  if (options.sizes.empty()) options.sizes = {10'000, 100'000, 1'000'000, 10'000'000};
  if (options.large) options.sizes.push_back(kLarge);
  crivo::bench::run(options);
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_filters: %s\n", e.what());
  return 1;
}
