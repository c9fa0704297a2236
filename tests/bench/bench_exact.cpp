// Compares exact filters with the information limit (log2 of the number of ways to choose the members from all keys),
// and with a ribbon of as many columns, which can only answer "maybe". Without arguments, it measures several ratios in
// a universe of 10^7 keys. With MEMBERS and OTHERS, it builds one filter within --max-memory.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "crivo/builder.h"
#include "times.h"

namespace crivo::bench {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kAsked = 1'000'000;

/// The i-th synthetic hash of a side, the same in every run.
std::uint64_t hash_of(std::uint64_t side, std::uint64_t i) {
  const std::uint64_t number = 2 * i + side;
  return hash_key(std::string_view(reinterpret_cast<const char*>(&number), sizeof number), 0);
}

AnyFilter build(const FilterSpec& spec, std::uint64_t members, std::uint64_t others, std::uint64_t max_memory) {
  FilterBuilder builder = *FilterBuilder::create(spec, {.max_memory = max_memory});
  for (const auto& [side, count] : {std::pair{0, others}, {1, members}}) {
    const auto value = static_cast<std::uint64_t>(side);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool added = spec.kind == Kind::kExact ? static_cast<bool>(builder.add_hash(hash_of(value, i), value))
                                                   : value == 0 || builder.add_hash(hash_of(value, i));
      if (!added) std::abort();
    }
  }
  return *builder.finish();
}

/// Nanoseconds per lookup of `count` hashes of a side, one by one.
double question(const FilterRef& filter, std::uint64_t side, std::uint64_t count) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < kAsked; ++i) hashes.push_back(hash_of(side, i * 0x9E3779B97F4A7C15 % count));
  std::uint64_t found = 0;
  const double seconds = least_seconds(kRounds, [&] {
    for (const std::uint64_t hash : hashes) found += filter.may_contain_hash(hash) ? 1 : 0;
  });
  if (filter.kind().can.exact && found != kRounds * kAsked * side) std::abort();
  return seconds / kAsked * 1e9;
}

void measure(std::uint64_t members, std::uint64_t others, std::uint64_t max_memory) {
  std::optional<AnyFilter> exact;
  const double seconds =
      least_seconds(1, [&] { exact = build({.kind = Kind::kExact, .fp_rate = 1}, members, others, max_memory); });
  const double of_members = static_cast<double>(members);
  const double of_others = static_cast<double>(others);
  const double limit =
      (std::lgamma(of_members + of_others + 1) - std::lgamma(of_members + 1) - std::lgamma(of_others + 1)) /
      std::log(2);
  const auto bytes = static_cast<double>(exact->payload().size());
  const unsigned columns = exact->shape().k;
  const AnyFilter ribbon =
      build({.kind = Kind::kRibbon, .fp_rate = std::ldexp(1.0, -static_cast<int>(std::max(1U, columns)))}, members, 0,
            max_memory);
  std::printf("%11.0f %12.0f %13.0f %8.3f %7.3f %8.1f %8.1f %9.1f %9.1f %8.1f\n", of_members, of_others, bytes,
              8 * bytes / of_members, 8 * bytes / limit, question(exact->ref(), 1, members),
              question(exact->ref(), 0, others), question(ribbon.ref(), 1, members), question(ribbon.ref(), 0, others),
              seconds);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CLI::App app("Exact filters beside the information limit and a ribbon");
  std::uint64_t members = 0;
  std::uint64_t others = 0;
  std::uint64_t max_memory = UINT64_MAX;
  app.add_option("MEMBERS", members)->check(CLI::PositiveNumber);
  app.add_option("OTHERS", others)->check(CLI::PositiveNumber);
  app.add_option("--max-memory", max_memory, "Bytes")->transform(CLI::AsSizeValue(false));
  CLI11_PARSE(app, argc, argv);
  std::printf("                                       bits for  times the   ns per question  of a ribbon      build\n");
  std::printf(
      "    members       others         bytes a member   limit  members   others   members    others  seconds\n");
  if (members != 0 && others != 0) {
    measure(members, others, max_memory);
    return 0;
  }
  constexpr std::uint64_t kUniverse = 10'000'000;
  for (const std::uint64_t ratio : {4U, 5U, 8U, 10U, 16U, 30U, 100U, 1000U}) {
    measure(kUniverse / (ratio + 1), kUniverse / (ratio + 1) * ratio, max_memory);
  }
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) { return crivo::bench::run(argc, argv); }
