// `./dev bench rocksdb`: complete databases with Crivo's filters and with RocksDB's, in interleaved rounds.
//
// There are three sections: policies with equal rates, policies with equal memory, and disk reads for absent keys at
// several memory budgets. The databases are larger than their block caches. Their trees have the proportions of a large
// tree (rocksdb_database.h), and nine keys in ten are in the bottommost level. Absent keys are between present ones. By
// default, the databases are in memory, because syncing a thousand files to a disk would dominate the times. For direct
// I/O, --folder must name a folder on a disk. Ratios are medians of the rounds' ratios. CPU time is the sum over all
// threads, and is more reliable on a busy machine. The counts (reads, useful, maybe, true) are per thousand keys, and
// vary little.
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "crivo/filter.h"
#include "crivo/version.h"
#include "rocksdb_budget.h"
#include "rocksdb_library.h"
#include "rocksdb_rivals.h"

namespace crivo::bench {
namespace {

struct Options {
  Shape shape;
  std::uint64_t keys = 2'000'000;
  Effort effort{.folder = "/dev/shm/crivo-bench"};
  std::uint64_t budget_keys = 400'000;
  double memory = 7;  // bits per key at equal memory: a RocksDB ribbon with the rate of Bloom 10
  std::vector<double> budgets;
  bool quick = false;
  std::string csv;
  std::string budgets_csv;
  std::vector<std::string> sections;

  [[nodiscard]] bool wants(const std::string& section) const {
    return sections.empty() || std::find(sections.begin(), sections.end(), section) != sections.end();
  }
};

void print_header(const Options& options) {
  const Shape& shape = options.shape;
  std::printf("crivo %.*s, kernels %.*s, RocksDB %s (Debian's is an assert build without AVX2)\n",
              int(version().size()), version().data(), int(active_isa().size()), active_isa().data(),
              rocksdb::GetRocksVersionAsString(true).c_str());
  if (const RocksdbLibrary* library = RocksdbLibrary::get()) {
    std::printf("RocksDB src: the same database with the filter policies of %s\n", library->path().c_str());
  }
  std::printf("%llu keys of 8 bytes with values of 100, a block cache of %.1f MB %s filters and indexes in it,\n",
              static_cast<unsigned long long>(shape.keys()), 1e-6 * static_cast<double>(shape.cache_bytes()),
              shape.filters_in_cache ? "with" : "without");
  std::printf("reads %s; %u rounds of %llu keys; databases in %s\n",
              shape.direct_io ? "by direct I/O" : "through the system's page cache", options.effort.rounds,
              static_cast<unsigned long long>(options.effort.questions), options.effort.folder.c_str());
  std::fflush(stdout);
}

void run(const Options& options) {
  print_header(options);
  std::string csv = section_csv_header() + "\n";
  if (options.wants("rate")) {
    Effort effort = options.effort;
    effort.rewrites = true;
    const std::vector<Side> sides = measure_section(rivals_at_equal_rate(), options.shape, effort);
    print_section("equal rate: that of a Bloom filter of 10 bits per key", sides);
    print_target_7(sides);
    csv += section_csv("rate", sides);
  }
  if (options.wants("memory")) {
    const auto rivals = rivals_at_equal_memory(options.memory, options.shape);
    const std::vector<Side> sides = measure_section(rivals, options.shape, options.effort);
    print_section("equal memory", sides);
    csv += section_csv("memory", sides);
  }
  if (!options.csv.empty()) std::ofstream(options.csv) << csv;
  if (options.wants("budgets")) {
    Shape shape = options.shape;
    shape.set_keys(options.budget_keys);
    const std::vector<BudgetRow> rows = measure_budgets(options.budgets, shape, options.effort);
    print_budgets(rows);
    if (!options.budgets_csv.empty()) std::ofstream(options.budgets_csv) << budgets_csv(rows);
  }
  std::filesystem::remove(options.effort.folder);
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) try {
  crivo::bench::Options options;
  CLI::App app("Whole RocksDB databases with our filters and with RocksDB's", "bench_rocksdb");
  const CLI::Range sizes(std::uint64_t{10'000}, std::uint64_t{1'000'000'000});
  app.add_option("--keys", options.keys, "keys of each database (default 2000000)")->check(sizes);
  app.add_option("--budget-keys", options.budget_keys, "the same in the section budgets (default 400000)")
      ->check(sizes);
  app.add_option("--rounds", options.effort.rounds, "interleaved rounds (default 5)")->check(CLI::Range(1U, 1000U));
  app.add_option("--questions", options.effort.questions, "keys asked by each workload in a round (default 100000)")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1'000'000'000}));
  app.add_option("--budgets", options.budgets, "bits per key of the section budgets (default 4 6 8 10)")
      ->check(CLI::Range(1.0, 100.0));
  app.add_option("--sections", options.sections, "only these of rate, memory and budgets")
      ->check(CLI::IsMember({"rate", "memory", "budgets"}));
  app.add_flag("--quick", options.quick, "small databases and one round: shows in seconds that everything runs");
  app.add_flag("--filters-in-cache", options.shape.filters_in_cache,
               "filters and indexes compete with data for the block cache");
  app.add_flag("--direct-io", options.shape.direct_io, "read past the system's page cache");
  app.add_option("--folder", options.effort.folder,
                 "where up to seven databases are made at once (default /dev/shm/crivo-bench, in memory)");
  app.add_option("--csv", options.csv, "write the sections rate and memory to this file as well");
  app.add_option("--budgets-csv", options.budgets_csv, "write the section budgets to this file as well");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.keys = options.budget_keys = 20'000;
    options.effort.questions = 2000;
    options.effort.rounds = 1;
    options.budgets = {8};
  }
  if (options.budgets.empty()) options.budgets = {4, 6, 8, 10};
  options.shape.set_keys(options.keys);
  crivo::bench::run(options);
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_rocksdb: %s\n", e.what());
  return 1;
}
