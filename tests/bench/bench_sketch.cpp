// What two sets differ in: the bytes that one side sends, and the time to make and to decode them, beside a list of all
// hashes and beside the filters that the cookbook sent before there were sketches (two ribbons of 2% in each
// direction). And how many symbols a difference needs, at least.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "crivo/builder.h"
#include "crivo/sketch.h"
#include "times.h"

namespace crivo::bench {
namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers drawn(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Numbers numbers(count);
  std::ranges::generate(numbers, std::ref(random));
  return numbers;
}

Sketch sketch_of(const SketchSpec& spec, std::span<const std::uint64_t> numbers) {
  Sketch sketch = *Sketch::create(spec);
  if (!sketch.add_numbers(numbers)) std::abort();
  return sketch;
}

/// The fewest symbols from which a difference is found.
std::uint64_t least_symbols(const Numbers& difference, std::uint64_t seed) {
  std::uint64_t few = 0;
  for (std::uint64_t enough = 4 * difference.size() + 40; enough - few > 1;) {
    const std::uint64_t middle = (few + enough) / 2;
    const auto found = sketch_of({.symbols = middle, .seed = seed}, difference).decode();
    if (!found.has_value()) std::abort();
    (found->has_value() ? enough : few) = middle;
    if (enough - few == 1) return enough;
  }
  return few + 1;
}

void print_symbols() {
  std::printf("              symbols for each key, at least\n%12s %10s %10s %10s %10s %s\n", "difference", "mean",
              "median", "99%", "advised", "too few in 1000");
  for (const std::uint64_t keys : {1, 2, 5, 10, 100, 1000, 10'000, 100'000}) {
    const std::uint64_t draws = keys <= 100 ? 4000 : keys <= 1000 ? 300 : keys <= 10'000 ? 30 : 5;
    std::vector<double> each;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const std::uint64_t symbols = least_symbols(drawn(keys, seed), seed);
      each.push_back(static_cast<double>(symbols) / static_cast<double>(keys));
    }
    std::ranges::sort(each);
    double sum = 0;
    for (const double symbols : each) sum += symbols;
    const double advised = static_cast<double>(sketch_symbols(keys)) / static_cast<double>(keys);
    const auto short_of = std::ranges::count_if(each, [&](double symbols) { return symbols > advised; });
    std::printf("%12llu %10.3f %10.3f %10.3f %10.3f %10.2f\n", static_cast<unsigned long long>(keys),
                sum / static_cast<double>(draws), each[draws / 2], each[draws * 99 / 100], advised,
                1000 * static_cast<double>(short_of) / static_cast<double>(draws));
  }
}

std::uint64_t filter_bytes(const Numbers& numbers) {
  const auto filter = AnyFilter::build({.kind = Kind::kRibbon, .capacity = numbers.size(), .fp_rate = 0.02}, numbers);
  return filter->payload().size();
}

void print_exchanges(std::uint64_t most) {
  std::printf("\n%10s %10s %8s %12s %12s %12s %10s %10s\n", "keys", "difference", "symbols", "sketch", "filters",
              "all hashes", "make", "decode");
  for (std::uint64_t keys = 10'000; keys <= most; keys *= 10) {
    const Numbers mine = drawn(keys, 1);
    const std::uint64_t filters = 4 * filter_bytes(mine);
    for (const std::uint64_t difference : {1, 10, 100, 4000}) {
      Numbers theirs(mine.begin() + static_cast<std::ptrdiff_t>(difference / 2), mine.end());
      const Numbers others = drawn(difference - difference / 2, 2);
      theirs.insert(theirs.end(), others.begin(), others.end());
      const SketchSpec spec{.symbols = sketch_symbols(difference)};
      const Sketch of_theirs = sketch_of(spec, theirs);
      std::optional<Sketch> made;
      const double make = least_seconds(1, [&] { made = sketch_of(spec, mine); });
      bool found = false;
      const double decode = least_seconds(1, [&] {
        if (!made->subtract(of_theirs)) std::abort();
        const auto decoded = made->decode();
        found = decoded.has_value() && decoded->has_value() &&
                (*decoded)->only_first.size() + (*decoded)->only_second.size() == difference;
      });
      std::printf("%10llu %10llu %8llu %12llu %12llu %12llu %8.3f s %7.1f ms%s\n",
                  static_cast<unsigned long long>(keys), static_cast<unsigned long long>(difference),
                  static_cast<unsigned long long>(spec.symbols),
                  static_cast<unsigned long long>(of_theirs.blob_bytes()), static_cast<unsigned long long>(filters),
                  static_cast<unsigned long long>(8 * theirs.size()), make, decode * 1e3, found ? "" : "  not yet");
    }
  }
}

void print_large() {
  const Numbers difference = drawn(100'000, 3);
  const Sketch sketch = sketch_of({.symbols = sketch_symbols(difference.size())}, difference);
  bool found = false;
  const double seconds = least_seconds(3, [&] {
    const auto decoded = sketch.decode();
    found = decoded.has_value() && decoded->has_value();
  });
  std::printf("\na difference of 100000 keys is decoded in %.3f s%s\n", seconds, found ? "" : ": not yet");
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  CLI::App app("What two sets differ in");
  std::uint64_t most = 10'000'000;
  app.add_option("--keys", most, "The largest sets")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  crivo::bench::print_symbols();
  crivo::bench::print_large();
  crivo::bench::print_exchanges(most);
  return 0;
}
