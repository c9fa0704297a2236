// How good and how fast ways to find a classic filter's positions are: docs/design.md, "Positions of classic".
//
// A row's ratio is the share of absent hashes that are found over the mean of (bits set / m)^k of the same filters: 1
// for independent positions.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "base/math128.h"

namespace crivo {
namespace {

using Hash = std::uint64_t;

constexpr Hash kOdd = 0xF1357AEA2E62A9C5;

Hash second_hash(Hash hash) {
  const Hash mixed = hash * kGolden64;
  return (mixed ^ (mixed >> 32)) | 1;
}

struct Double {  // Kirsch & Mitzenmacher 2006: one step, added each time
  Hash at, step;
  explicit Double(Hash hash) : at(hash), step(second_hash(hash)) {}
  void advance() { at += step; }
};
struct Enhanced {  // Dillinger & Manolios 2004: the step grows by 1, 2, 3 ..., here times an odd constant
  Hash at, step, growth = 0;
  explicit Enhanced(Hash hash) : at(hash), step(second_hash(hash)) {}
  void advance() {
    at += step;
    step += growth += kGolden64;
  }
};
struct Triple {  // the step grows by itself, rotated
  Hash at, step;
  explicit Triple(Hash hash) : at(hash), step(second_hash(hash)) {}
  void advance() {
    at += step;
    step += step << 23 | step >> 41;
  }
};
struct MultipliedStep {  // the step is multiplied by an odd constant
  Hash at, step;
  explicit MultipliedStep(Hash hash) : at(hash), step(hash * kGolden64) {}
  void advance() {
    at += step;
    step *= kOdd;
  }
};
struct Multiplied {  // the position itself is: what the format says
  Hash at;
  explicit Multiplied(Hash hash) : at(hash) {}
  void advance() { at *= kOdd; }
};
struct Mixed {  // SplitMix64: two multiplications per probe
  Hash state, at = 0;
  explicit Mixed(Hash hash) : state(hash) { advance(); }
  void advance() {
    Hash z = state += kGolden64;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    at = z ^ (z >> 31);
  }
};

struct Filter {
  std::vector<std::uint8_t> set;
  unsigned probes;

  template <class Way>
  void add(Hash hash) {
    Way way(hash);
    for (unsigned i = 0; i < probes; ++i, way.advance()) set[mulhi(way.at, set.size())] = 1;
  }
  template <class Way>
  [[nodiscard]] bool contains(Hash hash) const {
    Way way(hash);
    for (unsigned i = 0; i < probes; ++i, way.advance()) {
      if (set[mulhi(way.at, set.size())] == 0) return false;
    }
    return true;
  }
};

template <class Way>
void report(const char* name, unsigned keys, double fp_rate, double asked) {
  const auto probes = static_cast<unsigned>(std::lround(-std::log2(fp_rate)));
  const double bits = std::ceil(-double(probes) * keys / std::log1p(-std::pow(fp_rate, 1.0 / probes)));
  const unsigned filters = keys >= 1000 ? 8 : 1000 / keys;
  std::mt19937_64 random(keys);
  double found = 0;
  double expected = 0;
  std::chrono::nanoseconds took{0};
  for (unsigned i = 0; i < filters; ++i) {
    Filter filter{std::vector<std::uint8_t>(static_cast<std::size_t>(bits)), probes};
    for (unsigned key = 0; key < keys; ++key) filter.add<Way>(random());
    double set = 0;
    for (const auto bit : filter.set) set += bit;
    expected += asked / filters * std::pow(set / bits, probes);
    Hash hash = random();
    const auto start = std::chrono::steady_clock::now();
    for (double left = asked / filters; left > 0; --left) found += filter.contains<Way>(Mixed(hash += kOdd).at);
    took += std::chrono::steady_clock::now() - start;
  }
  std::printf("%-16s n %6u  k %2u  found %8.0f  ratio %10.3f +- %.3f  %5.1f ns\n", name, keys, probes, found,
              found / expected, 1 / std::sqrt(found + 1), static_cast<double>(took.count()) / asked);
}

}  // namespace
}  // namespace crivo

int main(int argc, char** argv) {
  using namespace crivo;
  double fp_rate = 1e-5;
  double asked = 1e7;
  CLI::App app("False-positive rates of ways to derive positions from a hash", "bench_positions");
  app.add_option("RATE", fp_rate, "the rate to size for (default 1e-5)");
  app.add_option("ABSENT", asked, "absent hashes for each row (default 1e7)");
  CLI11_PARSE(app, argc, argv);
  for (const unsigned keys : {1U, 10U, 100U, 1000U, 10'000U, 100'000U}) {
    report<Double>("double", keys, fp_rate, asked);
    report<Enhanced>("enhanced", keys, fp_rate, asked);
    report<Triple>("triple", keys, fp_rate, asked);
    report<MultipliedStep>("multiplied step", keys, fp_rate, asked);
    report<Multiplied>("multiplied", keys, fp_rate, asked);
    report<Mixed>("mixed", keys, fp_rate, asked);
  }
}
