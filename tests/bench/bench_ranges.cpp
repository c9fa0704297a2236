// The costs of range filters, for uniform, consecutive and clustered keys: the bits per key in relation to the formula,
// the build time in relation to std::sort of the keys, and the time of a lookup.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "crivo/filter.h"
#include "times.h"

namespace crivo::bench {
namespace {

constexpr int kRounds = 7;

struct Spread {
  const char* name;
  std::uint64_t (*key)(std::uint64_t number, std::mt19937_64& random);
};
constexpr Spread kSpreads[] = {
    {"even", [](std::uint64_t, std::mt19937_64& random) -> std::uint64_t { return random(); }},
    {"consecutive", [](std::uint64_t number, std::mt19937_64&) { return (std::uint64_t{1} << 40) + number; }},
    {"clustered", [](std::uint64_t, std::mt19937_64& random) { return (random() % 64 << 50) + random() % 10'000'000; }},
};

void print_row(const Spread& spread, std::size_t count, double fp_rate, unsigned length) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = spread.key(i, random);
  std::ranges::shuffle(keys, random);
  const FilterSpec spec{.kind = Kind::kRange, .capacity = count, .fp_rate = fp_rate, .range_length = length};
  const double sort = least_seconds(kRounds, [&] {
    auto sorted = keys;
    std::ranges::sort(sorted);
  });
  const double build = least_seconds(kRounds, [&] { (void)AnyFilter::build(spec, keys); });
  const AnyFilter filter = *AnyFilter::build(spec, keys);
  std::vector<std::uint64_t> questions(1'000'000);
  for (std::uint64_t& low : questions) low = spread.key(random() % count, random) + random() % 100'000;
  std::uint64_t found = 0;
  const double asked = least_seconds(kRounds, [&] {
    for (const std::uint64_t low : questions) found += filter.may_contain_range(low, low + (length - 1)) ? 1 : 0;
  });
  const double bits = 8 * static_cast<double>(filter.payload().size()) / static_cast<double>(count);
  std::printf(
      "%-12s %9zu keys %8g length %6u  %6.2f bits, %.3f of the formula  build %.2f of a sort  %6.1f ns (%llu)\n",
      spread.name, count, fp_rate, length, bits, bits / (2 + std::log2(length / fp_rate)), build / sort,
      asked / static_cast<double>(questions.size()) * 1e9, static_cast<unsigned long long>(found));
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  CLI::App app("Range filters: size, build and questions");
  std::size_t keys = 1'000'000;
  app.add_option("--keys", keys, "Keys of each filter")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  for (const auto& spread : crivo::bench::kSpreads) {
    for (const unsigned length : {1U, 64U}) crivo::bench::print_row(spread, keys, 0.01, length);
  }
  return 0;
}
