// The arithmetic of crivo sst advise, against closed forms and against trying everything; and what it reads in LOG.
#include "tool/advice.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "tool/question_log.h"

namespace crivo::tool {
namespace {

/// A level of Bloom filters without blocks: the rate of Bloom's own formula.
FilterCosts bloom(double keys, double runs, int hundredths) {
  const double bits = hundredths / 100.0;
  return {keys * bits / 8, runs * std::exp(-bits * std::log(2) * std::log(2))};
}

TEST(Advice, TakesTheMostBitsThatTheMemoryHas) {
  const auto costs = [](int hundredths) { return bloom(8000, 3, hundredths); };
  EXPECT_EQ(most_within_bytes(costs, 10000), 1000) << "10 bits each";
  EXPECT_EQ(most_within_bytes(costs, 9999), 999);
  EXPECT_EQ(most_within_bytes(costs, 500), kFewestHundredths);
  EXPECT_EQ(most_within_bytes(costs, 499), std::nullopt);
  EXPECT_EQ(most_within_bytes(costs, 1e9), kMostHundredths);
}

TEST(Advice, TakesTheFewestBitsThatLeaveTheReads) {
  const auto costs = [](int hundredths) { return bloom(8000, 3, hundredths); };
  for (const double reads : {1.5, 0.3, 0.01, 1e-4}) {
    const double bits = std::log(3 / reads) / (std::log(2) * std::log(2));  // Bloom's formula solved for them
    EXPECT_EQ(fewest_within_reads(costs, reads), std::max(static_cast<int>(std::ceil(100 * bits)), kFewestHundredths))
        << reads;
  }
  EXPECT_EQ(fewest_within_reads(costs, costs(1234).reads), 1234) << "as many reads as now are few enough";
  EXPECT_EQ(fewest_within_reads(costs, 3), kFewestHundredths);
  EXPECT_EQ(fewest_within_reads(costs, 1e-15), std::nullopt);
}

TEST(Advice, FindsWhatTryingEverySizeFinds) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const double keys = std::uniform_real_distribution<>(10, 1e9)(random);
    const double limit = keys * std::uniform_real_distribution<>(0, 10)(random);
    // Filters are made of whole blocks, so many sizes are one.
    const auto costs = [&](int hundredths) {
      FilterCosts exact = bloom(keys, 2, hundredths);
      exact.bytes = 64 * std::ceil(exact.bytes / 64);
      return exact;
    };
    std::optional<int> tried;
    for (int hundredths = kFewestHundredths; hundredths <= kMostHundredths; ++hundredths) {
      if (costs(hundredths).bytes <= limit) tried = hundredths;
    }
    EXPECT_EQ(most_within_bytes(costs, limit), tried) << keys << " keys in " << limit << " bytes";
  }
}

TEST(Advice, KnowsATreeOfEqualRatios) {
  for (const double ratio : {1.0, 2.5, 10.0, 1000.0}) {
    for (int levels = 2; levels <= 6; ++levels) {
      TreeSizes sizes;
      for (int distance = 0; distance < levels; ++distance) sizes.keys.push_back(1e6 / std::pow(ratio, distance));
      const TreeFit fit = fit_tree(sizes);
      EXPECT_EQ(fit.levels, levels);
      EXPECT_NEAR(fit.level_ratio, ratio, 1e-6 * ratio);
    }
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
  // Four runs of a level that is ten times smaller, or two of half as much, are what crivo.Auto takes level 0 for.
  EXPECT_NEAR(fit_tree({.keys = {1000}, .level0_keys = 100, .level0_runs = 4}).level_ratio, 10, 1e-9);
  EXPECT_NEAR(fit_tree({.keys = {1000}, .level0_keys = 50, .level0_runs = 2}).level_ratio, 10, 1e-9);
  EXPECT_EQ(fit_tree({.keys = {1000}, .level0_keys = 50, .level0_runs = 2}).levels, 2) << "the fewest that there are";
  EXPECT_EQ(fit_tree({.keys = {1000}}).level_ratio, 10);
  EXPECT_EQ(fit_tree({.keys = {1}, .level0_keys = 1e9, .level0_runs = 1}).level_ratio, 1);
  EXPECT_EQ(fit_tree({.keys = {1e9}, .level0_keys = 1, .level0_runs = 9}).level_ratio, 1000);
  EXPECT_EQ(fit_tree({}).level_ratio, 10);
}

TEST(Advice, TellsTheShareOfKeysThatWereFound) {
  // A million questions, of which a share finds its key in the last of five runs.
  for (const double share : {0.0, 0.25, 1.0}) {
    for (const double rate : {0.001, 0.1}) {
      constexpr double kQuestions = 1e6;
      constexpr double kRuns = 5;
      const double passed = kQuestions * (share * (1 + (kRuns - 1) * rate) + (1 - share) * kRuns * rate);
      EXPECT_NEAR(found_share(kQuestions * kRuns, passed, kRuns, kRuns * rate).value_or(-1), share, 1e-9);
    }
  }
  EXPECT_EQ(found_share(0, 0, 5, 0.1), std::nullopt);
  EXPECT_EQ(found_share(100, 100, 5, 5), std::nullopt) << "filters that let everything pass tell nothing";
}

std::optional<AskedFilters> read_log(const std::string& text, const std::string& family = "default") {
  std::istringstream log(text);
  QuestionLog questions(family);
  questions.read(log);
  return questions.asked();
}

constexpr const char* kCounters =
    "2026/01/02-03:04:05.678901 7f crivo.Auto [default, users]: blocked: 3 filters built (30 keys, 96 bytes, 0 ms), "
    "asked 1000 times (10 in batches), answered no 900 times; ribbon: 1 filter built (9 keys, 96 bytes, 0 ms), asked "
    "500 times (0 in batches), answered no 499 times; 0 filters built that every key passes; opened: 0 damaged blocks, "
    "0 of RocksDB's own, 0 with another key transform\n";
constexpr const char* kStatistics =
    " rocksdb.bloom.filter.useful COUNT : 70\n rocksdb.bloom.filter.full.positive COUNT : 30\n"
    " rocksdb.bloom.filter.full.true.positive COUNT : 28\n rocksdb.bloom.filter.prefix.useful COUNT : 5\n";

TEST(QuestionLog, ReadsThePolicysCounters) {
  for (const std::string family : {"default", "users"}) {
    const auto asked = read_log(std::string(kStatistics) + kCounters, family);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->source, "counters");
    EXPECT_EQ(asked->asked, 1500U);
    EXPECT_EQ(asked->passed, 101U);
    EXPECT_FALSE(asked->in_vain);
  }
  EXPECT_FALSE(read_log(kCounters, "user")) << "of other column families";
}

TEST(QuestionLog, ReadsTheLastOfRocksdbsStatistics) {
  const auto asked = read_log(" rocksdb.bloom.filter.useful COUNT : 9\n" + std::string(kStatistics));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->source, "statistics");
  EXPECT_EQ(asked->asked, 100U);
  EXPECT_EQ(asked->passed, 30U);
  EXPECT_EQ(asked->in_vain, 2U);
}

TEST(QuestionLog, ReadsStatisticsOfHalfTheQuestionsPassedAndOfAll) {
  const std::string passed = " rocksdb.bloom.filter.full.positive COUNT : 9\n";
  EXPECT_EQ(read_log(passed + " rocksdb.bloom.filter.useful COUNT : 9\n").value().asked, 18U);
  EXPECT_EQ(read_log(passed).value().asked, 9U);
}

TEST(QuestionLog, ReadsNothingInWhatSaysNothing) {
  for (const char* text :
       {"", "crivo.", "crivo.Auto [default", "crivo.Auto [default]: blocked: 3 filters built\n", "]: blocked: crivo. [",
        " rocksdb.bloom.filter.useful COUNT : 0\n", " rocksdb.bloom.filter.useful COUNT : x\n"}) {
    EXPECT_FALSE(read_log(text)) << text;
  }
}

}  // namespace
}  // namespace crivo::tool
