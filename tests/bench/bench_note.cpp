// `./dev bench note`: the textbook experiment. Fills classic filters of m bits and k probes with n random e-mail
// addresses, and looks up others. Compares the number of false positives with the formula (1 - e^(-kn/m))^k.
//
// At these sizes, the number of set bits varies. So each cell is compared with (bits set / m)^k of its own fill: the
// exact binomial tail probability of the count must exceed 0.001 / (2 x 81 cells) (Bonferroni). A correct filter fails
// with one seed in a thousand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "crivo/filter.h"
#include "kinds/bloom/sizes.h"

namespace crivo::bench {
namespace {

constexpr unsigned kBits[] = {50, 250, 500};
constexpr unsigned kProbes[] = {3, 6, 9};
constexpr unsigned kKeys[] = {50, 180, 350};
constexpr unsigned kQueries[] = {200, 500, 1000};
constexpr double kCells = 81;
constexpr double kSignificance = 0.001 / (2 * kCells);

/// Addresses such as "qwkzt.41@mail7.example". The number makes them distinct.
class Addresses {
 public:
  explicit Addresses(std::uint64_t seed) : random_(seed) {}
  std::string next() {
    std::string address;
    for (int i = 0; i < 5; ++i) address += static_cast<char>('a' + random_() % 26);
    return address + '.' + std::to_string(number_++) + "@mail" + std::to_string(random_() % 10) + ".example";
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t number_ = 0;
};

double binomial_probability(unsigned trials, unsigned hits, double p) {
  if (p <= 0) return hits == 0 ? 1 : 0;
  if (p >= 1) return hits == trials ? 1 : 0;
  return std::exp(std::lgamma(trials + 1.0) - std::lgamma(hits + 1.0) - std::lgamma(trials - hits + 1.0) +
                  hits * std::log(p) + (trials - hits) * std::log1p(-p));
}

/// The probability of a count that is at least as far from the mean, on the same side.
double tail(unsigned trials, unsigned hits, double p) {
  double at_most = 0;
  double at_least = 0;
  for (unsigned i = 0; i <= trials; ++i) {
    const double probability = binomial_probability(trials, i, p);
    if (i <= hits) at_most += probability;
    if (i >= hits) at_least += probability;
  }
  return std::min(at_most, at_least);
}

AnyFilter empty_filter(unsigned bits, unsigned probes, unsigned keys) {
  const Shape shape{.kind = Kind::kClassic, .k = static_cast<std::uint8_t>(probes), .units = bits};
  const Facts facts{.capacity = keys, .fp_rate = classic_fp_rate(bits, keys, probes)};
  return *AnyFilter::adopt(shape, facts, AlignedBytes((bits + 63) / 64 * 8));
}

/// Fills one filter, looks up all three numbers of queries, and prints a line. Returns its number of bad cells.
unsigned measure(unsigned bits, unsigned probes, unsigned keys, Addresses& addresses) {
  AnyFilter filter = empty_filter(bits, probes, keys);
  for (unsigned i = 0; i < keys; ++i) (void)filter.add(addresses.next());
  const Stats stats = filter.ref().stats();
  std::printf("%4u %2u %4u  %8.4f  %4llu %8.4f ", bits, probes, keys, classic_fp_rate(bits, keys, probes),
              static_cast<unsigned long long>(stats.bits_set), stats.current_fp_rate);
  unsigned out_of_bounds = 0;
  for (const unsigned queries : kQueries) {
    unsigned hits = 0;
    for (unsigned i = 0; i < queries; ++i) hits += filter.may_contain(addresses.next());
    const bool inside = tail(queries, hits, stats.current_fp_rate) > kSignificance;
    std::printf("  %4u = %.4f%s", hits, hits / double(queries), inside ? " " : "!");
    out_of_bounds += !inside;
  }
  std::printf("\n");
  return out_of_bounds;
}

int run(std::uint64_t seed) {
  std::printf("false positives of classic filters over random e-mail addresses, seed %llu\n\n",
              static_cast<unsigned long long>(seed));
  std::printf("   m  k    n   formula   set  (set/m)^k   of 200        of 500        of 1000 queries\n");
  Addresses addresses(seed);
  unsigned out_of_bounds = 0;
  for (const unsigned bits : kBits) {
    for (const unsigned probes : kProbes) {
      for (const unsigned keys : kKeys) out_of_bounds += measure(bits, probes, keys, addresses);
    }
  }
  std::printf("\n%u of %.0f cells outside the binomial bounds of (set/m)^k", out_of_bounds, kCells);
  std::printf(out_of_bounds == 0 ? "\n" : " (marked !)\n");
  return out_of_bounds == 0 ? 0 : 1;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  CLI::App app("Counted false positives beside the formula", "bench_note");
  app.add_option("--seed", seed, "of the random addresses (default 1)");
  CLI11_PARSE(app, argc, argv);
  return crivo::bench::run(seed);
}
