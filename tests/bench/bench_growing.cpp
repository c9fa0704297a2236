// A growing filter while keys are added: its bits per key, its rate and the requested one, and the times of a lookup
// and of an addition. Compares the slowest thousand additions with the median around them. Then measures a removal and
// an addition at constant size, compared with a cuckoo filter of the same size.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "crivo/filter.h"
#include "times.h"

namespace crivo::bench {
namespace {

constexpr std::size_t kAtOnce = 1000;
constexpr std::size_t kQuestions = 3'000'000;

/// Times of additions: the median of the batches, and the largest ratio of a batch to the median of the hundred batches
/// around it.
struct Additions {
  std::vector<double> batches;

  [[nodiscard]] double slowest() const {
    double most = 0;
    for (std::size_t from = 0; from < batches.size(); from += 100) {
      const auto begin = batches.begin() + static_cast<std::ptrdiff_t>(from);
      const std::vector<double> around(
          begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(100, batches.size() - from)));
      most = std::max(most, std::ranges::max(around) / median(around));
    }
    return most;
  }
};

void print_row(const AnyFilter& filter, std::uint64_t keys, const Additions& additions, std::mt19937_64& random) {
  std::vector<std::uint64_t> questions(kQuestions);
  std::ranges::generate(questions, std::ref(random));
  const auto hits = std::make_unique<bool[]>(kQuestions);
  const double seconds = least_seconds(1, [&] {
    filter.ref().may_contain_hashes(questions, {hits.get(), kQuestions});
  });
  const auto found = static_cast<double>(std::count(hits.get(), hits.get() + kQuestions, true));
  std::printf("%11llu %9.2f %11.3g %9.3g %9.1f %9.1f %8.1f\n", static_cast<unsigned long long>(keys),
              8.0 * static_cast<double>(filter.payload().size()) / static_cast<double>(keys), found / kQuestions,
              filter.ref().stats().current_fp_rate, seconds / kQuestions * 1e9,
              median(additions.batches) / kAtOnce * 1e9, additions.slowest());
  std::fflush(stdout);
}

void grow(double fp_rate, std::uint64_t most) {
  std::printf("\nfp_rate %g\n%11s %9s %11s %9s %9s %9s %8s\n", fp_rate, "keys", "bits/key", "measured", "stated",
              "ask ns", "add ns", "slowest");
  AnyFilter filter = *AnyFilter::create({.kind = Kind::kGrowing, .fp_rate = fp_rate});
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> hashes(kAtOnce);
  Additions additions;
  std::uint64_t next = 1000;
  for (std::uint64_t keys = kAtOnce; keys <= most; keys += kAtOnce) {
    std::ranges::generate(hashes, std::ref(random));
    additions.batches.push_back(least_seconds(1, [&] {
      if (!filter.add_hashes(hashes)) std::abort();
    }));
    if (keys < next) continue;
    print_row(filter, keys, additions, random);
    additions.batches.clear();
    next *= 10;
  }
}

/// The time of a removal and an addition, at a constant number of keys.
double churn(AnyFilter filter, std::uint64_t keys) {
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> hashes(keys);
  std::ranges::generate(hashes, std::ref(random));
  if (!filter.add_hashes(hashes)) std::abort();
  constexpr std::uint64_t kSteps = 1'000'000;
  return least_seconds(1,
                       [&] {
                         for (std::uint64_t step = 0; step < kSteps; ++step) {
                           std::uint64_t& hash = hashes[random() % keys];
                           if (!filter.remove_hash(hash)) std::abort();
                           hash = random();
                           if (!filter.add_hash(hash)) std::abort();
                         }
                       }) /
         kSteps * 1e9;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  std::uint64_t keys = 1'000'000;
  CLI::App app("The growing filter.");
  app.add_option("--keys", keys, "keys at the end")->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32));
  CLI11_PARSE(app, argc, argv);
  for (const double fp_rate : {0.01, 1e-4}) crivo::bench::grow(fp_rate, keys);
  using crivo::AnyFilter;
  const auto made = [&](crivo::Kind kind) {
    return *AnyFilter::create({.kind = kind, .capacity = keys + keys / 20, .fp_rate = 1e-4});
  };
  std::printf("\na removal and an addition among %llu keys: growing %.0f ns, cuckoo %.0f ns\n",
              static_cast<unsigned long long>(keys), crivo::bench::churn(made(crivo::Kind::kGrowing), keys),
              crivo::bench::churn(made(crivo::Kind::kCuckoo), keys));
}
