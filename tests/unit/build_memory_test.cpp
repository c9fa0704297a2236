// What a build allocates, and that it says so. A program of its own: malloc is replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bench/measure.h"
#include "crivo/builder.h"
#include "crivo/filter.h"

namespace crivo {
namespace {

struct Measured {
  double counted = 0;   // what malloc was asked for, beyond the payload
  double reported = 0;  // what the build reported
  double bits_per_key(std::size_t keys) const { return 8 * counted / static_cast<double>(keys); }
};

std::vector<std::uint64_t> random_hashes(std::size_t keys) {
  std::mt19937_64 random(keys);
  std::vector<std::uint64_t> hashes(keys);
  for (auto& hash : hashes) hash = random();
  return hashes;
}

template <class Hashes>
Measured measure(Hashes&& hashes, unsigned threads) {
  const FilterSpec spec{.kind = Kind::kRibbon, .capacity = hashes.size()};
  BuildReport report;
  double payload = 0;
  const std::size_t peak = bench::peak_bytes([&] {
    const auto filter = AnyFilter::build(spec, std::forward<Hashes>(hashes), {.threads = threads, .report = &report});
    payload = static_cast<double>(filter->payload().size());
  });
  return {static_cast<double>(peak) - payload, static_cast<double>(report.peak_temporary_bytes)};
}

// malloc rounds up and a build has some small strings and vectors; each thread has a stack's bookkeeping.
void expect_close(const Measured& measured, unsigned threads) {
  EXPECT_LE(measured.counted, 1.02 * measured.reported + 4096 + 1024 * threads);
  EXPECT_GE(measured.counted, 0.98 * measured.reported - 4096);
}

TEST(BuildMemory, IsWhatTheReportSays) {
  for (const std::size_t keys : {1000U, 10'000U, 100'000U, 1'000'000U}) {
    for (const unsigned threads : {1U, 3U}) {
      const auto hashes = random_hashes(keys);
      expect_close(measure(hashes, threads), threads);
      expect_close(measure(random_hashes(keys), threads), threads);
    }
  }
}

// The hashes' own 64 bits per key are included. The limit is 0.4 times what RocksDB's Ribbon takes, which is 235.
TEST(BuildMemory, IsSmallWhereNoCopyIsNeeded) {
  constexpr std::size_t kKeys = 1'000'000;
  auto hashes = random_hashes(kKeys);
  auto sorted = hashes;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_LE(64 + measure(sorted, 1).bits_per_key(kKeys), 94);
  EXPECT_LE(64 + measure(std::move(hashes), 1).bits_per_key(kKeys), 94);
}

// Many keys of a large blocked filter are partitioned first, whether somebody watches or not.
TEST(BuildMemory, CountsThePartsOfALargeBlockedFilter) {
  constexpr std::size_t kKeys = std::size_t{1} << 22;
  const auto hashes = random_hashes(kKeys);
  const FilterSpec spec{.kind = Kind::kBlocked, .capacity = kKeys, .bits_per_key = 130};
  for (const bool watched : {false, true}) {
    BuildReport report;
    BuildOptions options{.report = &report};
    if (watched) options.progress = [](double) { return true; };
    double payload = 0;
    const std::size_t peak = bench::peak_bytes([&] {
      const auto filter = AnyFilter::build(spec, hashes, options);
      payload = static_cast<double>(filter->payload().size());
    });
    EXPECT_GE(report.peak_temporary_bytes, 8 * kKeys) << "watched: " << watched;
    expect_close({static_cast<double>(peak) - payload, static_cast<double>(report.peak_temporary_bytes)}, 1);
  }
}

// Each kept hash takes eight bytes, and up to as many are in reserve while more hashes come.
TEST(BuildMemory, OfABuilderIsWhatItPromises) {
  constexpr std::size_t kFull = std::size_t{1} << 20;  // the hashes fill what was reserved
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon, Kind::kCounting}) {
    for (const std::size_t keys : {kFull, kFull + 1}) {
      const auto hashes = random_hashes(keys);
      double payload = 0;
      const std::size_t peak = bench::peak_bytes([&] {
        auto builder = FilterBuilder::create({.kind = kind});
        for (const std::uint64_t hash : hashes) ASSERT_TRUE(builder->add_hash(hash));
        const auto filter = builder->finish();
        payload = static_cast<double>(filter->payload().size());
      });
      const double kept = keys == kFull ? 8 : 16;
      const double build = kind == Kind::kRibbon ? 2 : 0.2;  // bytes per key
      EXPECT_LE((static_cast<double>(peak) - payload) / static_cast<double>(keys), kept + build)
          << kind_name(kind) << ", " << keys << " keys";
    }
  }
}

}  // namespace
}  // namespace crivo
