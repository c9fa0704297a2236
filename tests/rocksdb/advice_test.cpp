// Compares the arithmetic of `crivo sst advise` with closed forms and exhaustive search, and tests its parser of LOG.
#include "tool/advice.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "tool/logged_gets.h"

namespace crivo::tool {
namespace {

/// A level of standard Bloom filters, with the rate of Bloom's formula.
FilterCosts bloom(double keys, double runs, int hundredths) {
  const double bits = hundredths / 100.0;
  return {keys * bits / 8, runs * std::exp(-bits * std::log(2) * std::log(2))};
}

TEST(Advice, TakesTheMostBitsThatTheMemoryHas) {
  const auto costs = [](int hundredths) { return bloom(8000, 3, hundredths); };
  EXPECT_EQ(most_within_bytes(costs, 10000), 1000) << "10 bits each";
  EXPECT_EQ(most_within_bytes(costs, 9999), 999);
  EXPECT_EQ(most_within_bytes(costs, 500), kMinHundredths);
  EXPECT_EQ(most_within_bytes(costs, 499), std::nullopt);
  EXPECT_EQ(most_within_bytes(costs, 1e9), kMaxHundredths);
}

TEST(Advice, TakesTheFewestBitsThatLeaveTheReads) {
  const auto costs = [](int hundredths) { return bloom(8000, 3, hundredths); };
  for (const double reads : {1.5, 0.3, 0.01, 1e-4}) {
    const double bits = std::log(3 / reads) / (std::log(2) * std::log(2));  // Bloom's formula, solved for the bits
    EXPECT_EQ(fewest_within_reads(costs, reads), std::max(static_cast<int>(std::ceil(100 * bits)), kMinHundredths))
        << reads;
  }
  EXPECT_EQ(fewest_within_reads(costs, costs(1234).reads), 1234) << "as many reads as now are few enough";
  EXPECT_EQ(fewest_within_reads(costs, 3), kMinHundredths);
  EXPECT_EQ(fewest_within_reads(costs, 1e-15), std::nullopt);
}

TEST(Advice, FindsWhatTryingEverySizeFinds) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const double keys = std::uniform_real_distribution<>(10, 1e9)(random);
    const double limit = keys * std::uniform_real_distribution<>(0, 10)(random);
    // Filters consist of whole blocks, so many sizes are equal.
    const auto costs = [&](int hundredths) {
      FilterCosts exact = bloom(keys, 2, hundredths);
      exact.bytes = 64 * std::ceil(exact.bytes / 64);
      return exact;
    };
    std::optional<int> tried;
    for (int hundredths = kMinHundredths; hundredths <= kMaxHundredths; ++hundredths) {
      if (costs(hundredths).bytes <= limit) tried = hundredths;
    }
    EXPECT_EQ(most_within_bytes(costs, limit), tried) << keys << " keys in " << limit << " bytes";
  }
}

TEST(Advice, FitsAnyTreeAsWellAsTryingEveryRatioDoes) {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    TreeSizes sizes{.keys = {1e9}};
    for (int distance = 1; distance < 5; ++distance) {
      sizes.keys.push_back(sizes.keys.back() / std::uniform_real_distribution<>(1.5, 40)(random));
    }
    const auto off = [&](double ratio) {
      double keys = -std::accumulate(sizes.keys.begin(), sizes.keys.end(), 0.0);
      for (std::size_t distance = 0; distance < sizes.keys.size(); ++distance) {
        keys += sizes.keys[0] / std::pow(ratio, distance);
      }
      return std::abs(keys);
    };
    const double found = off(fit_tree(sizes).level_ratio);
    for (double ratio = 1; ratio <= 1000; ratio *= 1.01) EXPECT_GE(off(ratio), found) << ratio;
  }
  EXPECT_NEAR(fit_tree({.keys = {5, 9}}).level_ratio, 1, 1e-9) << "no last level is the smaller one";
}

TEST(Advice, TriesRatiosOnBothSidesThatThePolicyTakes) {
  for (const double ratio : {1.0, 1.2, 10.0, 1000.0}) {
    const std::vector<TreeFit> fits = fits_near({3, ratio});
    EXPECT_EQ(fits[0].level_ratio, ratio);
    const auto has = [&](auto is) { return std::ranges::any_of(fits, is, &TreeFit::level_ratio); };
    EXPECT_TRUE(has([](double each) { return each == 1; }));
    EXPECT_TRUE(has([&](double each) { return each > ratio || ratio == 1000; })) << ratio;
    for (const TreeFit& fit : fits) {
      EXPECT_TRUE(fit.level_ratio >= 1 && fit.level_ratio <= 1000) << fit.level_ratio;
      EXPECT_EQ(fit.levels, 3);
    }
  }
}

TEST(Advice, TakesLevel0ForTheOtherLevelWhereThereIsNone) {
  // crivo.Auto assumes that level 0 has four runs of a level that is ten times smaller, or two runs of half its size.
  EXPECT_NEAR(fit_tree({.keys = {1000}, .level0_keys = 100, .level0_runs = 4}).level_ratio, 10, 1e-9);
  EXPECT_NEAR(fit_tree({.keys = {1000}, .level0_keys = 50, .level0_runs = 2}).level_ratio, 10, 1e-9);
  EXPECT_EQ(fit_tree({.keys = {1000}, .level0_keys = 50, .level0_runs = 2}).levels, 2) << "the fewest that there are";
  EXPECT_EQ(fit_tree({.keys = {1000}}).level_ratio, 10);
  EXPECT_EQ(fit_tree({.keys = {1}, .level0_keys = 1e9, .level0_runs = 1}).level_ratio, 1);
  EXPECT_EQ(fit_tree({.keys = {1e9}, .level0_keys = 1, .level0_runs = 9}).level_ratio, 1000);
  EXPECT_EQ(fit_tree({}).level_ratio, 10);
}

std::optional<LoggedGets> read_log(const std::string& text) {
  std::istringstream log(text);
  return read_gets(log);
}

TEST(LoggedGets, AreThoseOfTheLastLineThatCountsAny) {
  const auto gets = read_log(
      "2026/01/02-03:04:05.678901 7f crivo.gets {\"in_files\":9,\"found\":1}\n"
      "2026/01/02-03:04:05.678901 7f crivo.gets {\"in_files\":100,\"found\":25,\"filter_negatives\":70,"
      "\"filter_false_positives\":2,\"more\":[]}\n"
      "2026/01/02-03:04:05.678901 7f crivo.gets {\"in_files\":0,\"found\":0}\n");
  ASSERT_TRUE(gets);
  EXPECT_EQ(gets->in_files, 100U);
  EXPECT_EQ(gets->found, 25U);
  EXPECT_EQ(gets->found_share(), 0.25);
  EXPECT_EQ(gets->filter_negatives, 70U);
  EXPECT_EQ(gets->filter_false_positives, 2U);
}

TEST(LoggedGets, AreNotTakenFromWhatIsNoSuchLine) {
  for (const char* text :
       {"", "crivo.gets", "crivo.gets {", "crivo.gets 7", "crivo.gets [1]", R"(crivo.gets {"in_files":"9"})",
        R"(crivo.gets {"in_files":-9,"found":-9})", R"(crivo.gets {"in_files":1,"found":2})",
        " rocksdb.bloom.filter.full.positive COUNT : 30\n rocksdb.bloom.filter.full.true.positive COUNT : 0\n",
        ("crivo.Auto [default]: blocked: 3 filters built (30 keys, 96 bytes, 0 ms), asked 10 times (0 in batches), "
         "answered no 0 times; ribbon: 0 filters built\n")}) {
    EXPECT_FALSE(read_log(text)) << text;
  }
}

}  // namespace
}  // namespace crivo::tool
