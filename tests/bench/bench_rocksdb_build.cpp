// `./dev bench rocksdb_build`: what it takes to build filter blocks through RocksDB's interface, ours beside the
// built-in ones. CRIVO_ROCKSDB_SRC names a release build to compare with (rocksdb_library.h).
//
// Times are processor times, medians over interleaved rounds in one process, in nanoseconds per key. They include
// making and hashing the eight-byte keys, and what the system does, such as page faults. In each sample a new builder
// takes the keys and finishes its block, and builder and block are freed, as it happens with one SST file after
// another. "Faults" are the page faults of such a build. Memory is the growth of the process's peak resident size while
// a fresh process builds blocks, one in each thread, with the blocks themselves.
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "abi.h"
#include "measure.h"
#include "rocksdb_library.h"
#include "workload.h"

namespace crivo::bench {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

struct Row {
  std::string name;
  Policy policy;
  std::vector<double> nanoseconds;
  std::vector<double> faults;
};

Policy from_string(const std::string& text) {
  Policy policy;
  const auto made = rocksdb::FilterPolicy::CreateFromString({}, text, &policy);
  if (!made.ok() || policy == nullptr) throw std::runtime_error(text + ": " + made.ToString());
  return policy;
}

Policy builtin(const std::string& name) {
  if (const RocksdbLibrary* library = RocksdbLibrary::get()) return library->policy(name, 10);
  return Policy(name == "Ribbon" ? rocksdb::NewRibbonFilterPolicy(10) : rocksdb::NewBloomFilterPolicy(10));
}

/// The built-in filter first and ours behind it, in pairs.
std::vector<Row> rows(const std::string& options) {
  return {
      {"RocksDB Bloom", builtin("Bloom"), {}, {}},
      {"crivo.Bloom", from_string("{id=crivo.Bloom;bits_per_key=10" + options + "}"), {}, {}},
      {"RocksDB Ribbon", builtin("Ribbon"), {}, {}},
      {"crivo.Ribbon", from_string("{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1" + options + "}"), {}, {}}};
}

/// The block's size.
std::size_t build(const Policy& policy, std::uint64_t keys) {
  const rocksdb::BlockBasedTableOptions table;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy->GetBuilderWithContext(context)));
  for (std::uint64_t i = 0; i < keys; ++i) {
    const Key key(i);
    builder->AddKey({key.view().data(), key.view().size()});
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice block = builder->Finish(&buffer, &status);
  if (!status.ok() || block.size() <= 6) throw std::runtime_error("a builder must make a filter, got none");
  return block.size();
}

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// What this thread, or the process, has taken of a processor, in nanoseconds, with what the system did for it.
double processor_time(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec time{};
  clock_gettime(clock, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

void sample(Row& row, std::uint64_t keys, unsigned builds) {
  const long before = faults();
  const double started = processor_time();
  for (unsigned i = 0; i < builds; ++i) build(row.policy, keys);
  row.nanoseconds.push_back((processor_time() - started) / builds / static_cast<double>(keys));
  row.faults.push_back(static_cast<double>(faults() - before) / builds);
}

double median_ratio(const Row& ours, const Row& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.nanoseconds.size(); ++i)
    ratios.push_back(ours.nanoseconds[i] / theirs.nanoseconds[i]);
  return median(std::move(ratios));
}

void measure_times(std::vector<Row> rows, std::uint64_t keys, unsigned rounds) {
  const auto builds = static_cast<unsigned>(std::max<std::uint64_t>(1, 1'000'000 / keys));
  for (Row& row : rows) build(row.policy, keys);  // warms up
  for (unsigned round = 0; round < rounds; ++round) {
    for (Row& row : rows) sample(row, keys, builds);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string ratio = i % 2 == 0 ? "" : std::to_string(median_ratio(rows[i], rows[i - 1])).substr(0, 4);
    std::printf("| %llu | %s | %.1f | %s | %.0f |\n", static_cast<unsigned long long>(keys), rows[i].name.c_str(),
                median(rows[i].nanoseconds), ratio.c_str(), median(rows[i].faults));
  }
}

/// A figure of /proc/self/status, in bytes.
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
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew at what is resident now
  const double before = status_figure("VmRSS");
  std::vector<std::jthread> builders;
  for (unsigned i = 0; i < threads; ++i) builders.emplace_back([&] { build(row.policy, keys); });
  builders.clear();
  const double peak = status_figure("VmHWM") - before;
  std::printf("| %llu | %u | %s | %.0f | %.0f | %.1f |\n", static_cast<unsigned long long>(keys), threads,
              row.name.c_str(), peak / 1e6, 8 * peak / static_cast<double>(keys * threads),
              processor_time(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
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
  // Memory comes first, while this process, from which each of the others is forked, has built nothing.
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
