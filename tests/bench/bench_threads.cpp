// The speedup with several threads: docs/benchmarks.md, "Files, threads and memory limits". Builds one filter of each
// kind from an unknown number of hashes. Then all threads query it at the same time, each with its own hashes. Prints
// CSV.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "crivo/builder.h"
#include "crivo/kinds.h"
#include "filters.h"
#include "measure.h"

namespace crivo::bench {
namespace {

constexpr unsigned kAsked = 1'000'000;  // per thread and round
constexpr std::size_t kBatch = 1000;
constexpr int kTimes = 20;

struct Workload {
  std::vector<std::uint64_t> hashes;
  unsigned threads;
  int rounds;
};

AnyFilter built(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes, unsigned threads) {
  auto builder = FilterBuilder::create(spec, {.threads = threads});
  if (builder && builder->add_hashes(hashes)) {
    if (auto filter = builder->finish()) return *std::move(filter);
  }
  std::fprintf(stderr, "bench_threads: %zu keys must fit, got an error\n", hashes.size());
  std::exit(1);
}

/// Queries the filter with this number of threads, each with a million absent hashes, kTimes times.
void ask(const FilterRef& filter, unsigned threads) {
  const auto work = [&filter](std::uint64_t seed) {
    const auto hashes = testing::random_hashes(kAsked, seed);
    const auto hits = std::make_unique<bool[]>(kBatch);
    for (int again = 0; again < kTimes; ++again) {  // repeated, so that the time to make the hashes is negligible
      for (std::size_t from = 0; from < hashes.size(); from += kBatch) {
        filter.may_contain_hashes(std::span(hashes).subspan(from, kBatch), {hits.get(), kBatch});
      }
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work, 2 + i);
  work(2);
  for (std::thread& helper : helpers) helper.join();
}

void print_row(const std::string& kind, const Workload& load) {
  FilterSpec spec;
  if (auto chosen = choose_kind(spec, kind); !chosen) {
    std::fprintf(stderr, "bench_threads: %s\n", chosen.error().message.c_str());
    std::exit(1);
  }
  const AnyFilter filter = built(spec, load.hashes, load.threads);
  std::vector<double> build[2];
  std::vector<double> question[2];
  for (int round = 0; round < load.rounds; ++round) {
    for (const bool many : {false, true}) {
      const unsigned threads = many ? load.threads : 1;
      build[many].push_back(nanoseconds([&] { (void)built(spec, load.hashes, threads); }));
      question[many].push_back(nanoseconds([&] { ask(filter.ref(), threads); }));
    }
  }
  const auto keys = static_cast<double>(load.hashes.size());
  std::printf("%s,%zu,%u,%.1f,%.1f,%.2f,%.1f,%.2f\n", kind.c_str(), load.hashes.size(), load.threads,
              median(build[0]) / keys, median(build[1]) / keys, median(build[1]) / median(build[0]),
              median(question[0]) / (kTimes * double{kAsked}), median(question[1]) / median(question[0]));
  std::fflush(stdout);
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  std::size_t keys = 10'000'000;
  unsigned threads = 2;
  int rounds = 5;
  std::vector<std::string> kinds;
  for (const auto& info : crivo::kinds()) {
    if (!info.can.needs_values()) kinds.emplace_back(info.name);
  }
  kinds.emplace_back("ribbon:32");
  CLI::App app("Builds and questions with several threads", "bench_threads");
  app.add_option("--keys", keys, "Keys of each filter")->capture_default_str();
  app.add_option("--threads", threads, "Threads, beside one")->capture_default_str();
  app.add_option("--rounds", rounds, "Rounds, of which the medians are printed")->capture_default_str();
  app.add_option("KIND", kinds, "Kinds of filters")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::puts("kind,keys,threads,build_1,build_n,build_ratio,question_1,question_ratio");
  const crivo::bench::Workload load{crivo::testing::random_hashes(keys, 1), threads, rounds};
  for (const std::string& kind : kinds) crivo::bench::print_row(kind, load);
  return 0;
}
