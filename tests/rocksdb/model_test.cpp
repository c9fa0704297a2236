// Random walks (model.h): whoever makes the filters, a live key is never lost, and a scan with a filter gives what it
// gives without.
#include "model.h"

#include <cstdlib>
#include <iostream>

#include "lossy_policy.h"

namespace crivo::testing::model {
namespace {

/// Says what a failure owes to the filters: the same walk with RocksDB's own, and without any.
std::string compared_with_others(std::uint64_t seed) {
  std::string text;
  const PolicyRow builtin{"bloomfilter:10", [] { return builtin_bloom(); }};
  const PolicyRow none{"no policy", [] { return nullptr; }};
  for (const PolicyRow& row : {builtin, none}) {
    text += "\n  the same walk with " + row.name + " only ";
    try {
      Tally ignored;
      walk(seed, only(row), ignored);
      text += "passes";
    } catch (const Failure& failure) {
      const std::string what = failure.what();
      text += "fails, too: " + what.substr(0, what.find('\n'));
    }
  }
  return text;
}

/// With CRIVO_MODEL_NO_POLICY the walks are a program that sets none, as preload_test.cpp runs it.
Policies policies_of_walks() {
  const bool has_none = std::getenv("CRIVO_MODEL_NO_POLICY") != nullptr;
  return has_none ? only({"no policy", [] { return nullptr; }}) : all_policies();
}

void walk_all(std::uint64_t first, std::uint64_t walks, Tally& tally) {
  tally.tell = std::getenv("CRIVO_MODEL_SEED") != nullptr;
  const bool all = walk_seeds("CRIVO_MODEL_SEED", first, walks, [&](std::uint64_t seed) {
    try {
      walk(seed, policies_of_walks(), tally);
    } catch (const Failure& failure) {
      FAIL() << failure.what() << compared_with_others(seed);
    }
  });
  if (!all) return;
  EXPECT_GE(tally.walks_with_useful_filters, walks * 3 / 5) << "walks without filters prove nothing";
}

TEST(RocksdbModel, LosesNoKeyOnRandomWalks) {
  Tally tally;
  walk_all(1, 20, tally);
}

/// The first failure of walks whose filters one policy makes; empty if there is none.
std::string first_failure(const PolicyRow& policy) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    try {
      Tally ignored;
      walk(seed, only(policy), ignored);
    } catch (const Failure& failure) {
      return failure.what();
    }
  }
  return {};
}

TEST(RocksdbModel, FindsAKeyThatABuilderDropped) {
  const std::string failure =
      first_failure({"dropping", [] { return std::make_shared<LossyPolicy>(LossyPolicy::Loss::kBuilder, 200); }});
  EXPECT_THAT(failure, ContainsRegex("LOST: .*\n.*in (step .*|the end)\n.*\n.*dropping"));
  EXPECT_THAT(failure, HasSubstr("CRIVO_MODEL_SEED="));
}

TEST(RocksdbModel, FindsAKeyThatAReaderDenied) {
  const std::string failure =
      first_failure({"denying", [] { return std::make_shared<LossyPolicy>(LossyPolicy::Loss::kReader, 200); }});
  // Either there is no older value of the key, or that one is found.
  EXPECT_THAT(failure, AnyOf(HasSubstr("LOST: "), HasSubstr("and not \"")));
}

TEST(RocksdbModel, LosesNoKeyOnLongSeriesOfRandomWalks) {
  Tally tally;
  walk_all(1000, 1000, tally);
  std::cout << tally.walks << " walks, " << tally.walks_with_useful_filters << " with useful filters, which said no "
            << tally.useful << " times\n";
  for (const auto& [name, uses] : tally.rows) std::cout << uses << " x " << name << '\n';
}

/// The walks of RocksdbModel, which count what their scans were spared.
void walk_scans(std::uint64_t first, std::uint64_t walks) {
  const ScanCounts before = scan_counts();
  Tally tally;
  const bool all = walk_seeds("CRIVO_MODEL_SEED", first, walks, [&](std::uint64_t seed) {
    try {
      walk(seed, all_policies(), tally);
    } catch (const Failure& failure) {
      FAIL() << failure.what();
    }
  });
  if (!all) return;
  const std::uint64_t asked = scan_counts().asked - before.asked;
  const std::uint64_t skipped = scan_counts().skipped - before.skipped;
  EXPECT_GT(skipped, asked / 20) << "scans that skip nothing prove nothing";
  EXPECT_GT(scan_counts().found, before.found + walks);
  EXPECT_GT(scan_counts().denied, before.denied + walks / 10);
  std::cout << walks << " walks, whose scans left out " << skipped << " of " << asked << " files and found "
            << scan_counts().found - before.found << " entries\n";
}

TEST(ScanModel, LosesNothingOnRandomWalks) { walk_scans(100'000, 100); }
TEST(ScanModel, LosesNothingOnLongSeriesOfRandomWalks) { walk_scans(200'000, 1000); }

}  // namespace
}  // namespace crivo::testing::model
