// `./dev bench rocksdb_build`: the cost of filter blocks through RocksDB's interface, Crivo's compared with the
// built-in ones. CRIVO_ROCKSDB_SRC names a release build to compare with (rocksdb_library.h).
//
// Times are CPU times, medians over interleaved rounds in one process, in nanoseconds per key. They include making and
// hashing the eight-byte keys, and the system's work, such as page faults. Each sample creates a builder, adds the
// keys, finishes the block, and frees both, as for one SST file after another. "Faults" are the page faults of such a
// build. Memory is the growth of the peak resident size while a new process builds one block per thread, including the
// blocks.
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "measure.h"
#include "rocksdb_library.h"

namespace crivo::bench {
namespace {

struct Row {
  std::string name;
  Policy policy;
  std::vector<double> nanoseconds;
  std::vector<double> faults;
};

/// Pairs of rows: a built-in filter, then Crivo's.
std::vector<Row> rows(const std::string& options) {
  return {
      {"RocksDB Bloom", rocksdb_policy("Bloom", 10), {}, {}},
      {"crivo.Bloom", policy_from("{id=crivo.Bloom;bits_per_key=10" + options + "}"), {}, {}},
      {"RocksDB Ribbon", rocksdb_policy("Ribbon", 10), {}, {}},
      {"crivo.Ribbon", policy_from("{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1" + options + "}"), {}, {}}};
}

void build(const Policy& policy, std::uint64_t keys) {
  const rocksdb::BlockBasedTableOptions table;
  if (block_bytes(*policy, rocksdb::FilterBuildingContext(table), keys) == 0) throw std::runtime_error("no filter");
}

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void sample(Row& row, std::uint64_t keys, unsigned builds) {
  const long before = faults();
  const double started = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
  for (unsigned i = 0; i < builds; ++i) build(row.policy, keys);
  row.nanoseconds.push_back((processor_seconds(CLOCK_THREAD_CPUTIME_ID) - started) * 1e9 / builds /
                            static_cast<double>(keys));
  row.faults.push_back(static_cast<double>(faults() - before) / builds);
}

void measure_times(std::vector<Row> rows, std::uint64_t keys, unsigned rounds) {
  const auto builds = static_cast<unsigned>(std::max<std::uint64_t>(1, 1'000'000 / keys));
  for (Row& row : rows) build(row.policy, keys);  // warms up
  for (unsigned round = 0; round < rounds; ++round) {
    for (Row& row : rows) sample(row, keys, builds);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string ratio =
        i % 2 == 0 ? "" : std::to_string(median_ratio(rows[i].nanoseconds, rows[i - 1].nanoseconds)).substr(0, 4);
    std::printf("| %llu | %s | %.1f | %s | %.0f |\n", static_cast<unsigned long long>(keys), rows[i].name.c_str(),
                median(rows[i].nanoseconds), ratio.c_str(), median(rows[i].faults));
  }
}

/// A field of /proc/self/status, in bytes.
double status_figure(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  throw std::runtime_error("/proc/self/status must have " + name);
}

void print_memory(const Row& row, std::uint64_t keys, unsigned threads) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error(row.name + ": the process that measures its memory must succeed");
    return;
  }
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the present resident size
  const double before = status_figure("VmRSS");
  std::vector<std::jthread> builders;
  for (unsigned i = 0; i < threads; ++i) builders.emplace_back([&] { build(row.policy, keys); });
  builders.clear();
  const double peak = status_figure("VmHWM") - before;
  std::printf("| %llu | %u | %s | %.0f | %.0f | %.1f |\n", static_cast<unsigned long long>(keys), threads,
              row.name.c_str(), peak / 1e6, 8 * peak / static_cast<double>(keys * threads), processor_seconds());
  std::fflush(stdout);
  _exit(0);
}

struct Options {
  std::vector<std::uint64_t> sizes{10'000, 100'000, 1'000'000};
  unsigned rounds = 15;
  unsigned threads = 1;
  std::string options;
};

void run(const Options& options) {
  const RocksdbLibrary* library = RocksdbLibrary::get();
  std::printf("RocksDB: %s\n", library != nullptr ? library->path().c_str()
                                                  : "the installed library, an assert build without AVX2 in Debian");
  const std::vector<Row> all = rows(options.options);
  // Measures memory first, because the processes are forked from this one, which must not have built anything.
  std::printf("\n| keys | threads | | peak MB | bits per key | processor s |\n|---|---|---|---|---|---|\n");
  for (const std::uint64_t keys : options.sizes) {
    for (const Row& row : all) print_memory(row, keys, options.threads);
  }
  if (options.rounds == 0) return;
  std::printf("\n| keys | | ns per key | ratio | faults |\n|---|---|---|---|---|\n");
  for (const std::uint64_t keys : options.sizes) measure_times(all, keys, options.rounds);
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  crivo::bench::Options options;
  CLI::App app("Building filter blocks for RocksDB");
  app.add_option("--keys", options.sizes, "numbers of keys");
  app.add_option("--rounds", options.rounds, "rounds of the times; 0 for the memory alone")->capture_default_str();
  app.add_option("--threads", options.threads, "builders at the same time, for the memory")->capture_default_str();
  app.add_option("--options", options.options, "for our policies, such as \";max_build_bytes=300000000\"");
  CLI11_PARSE(app, argc, argv);
  try {
    crivo::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_rocksdb_build: %s\n", error.what());
    return 1;
  }
}
