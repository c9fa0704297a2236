// Random walks (model.h): no policy loses a live key, and a scan with a filter gives the same rows as one without.
#include "model.h"

#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <iostream>

#include "lossy_policy.h"
#include "model_walk.h"

namespace crivo::testing::model {
namespace {

/// With CRIVO_MODEL_NO_POLICY, the walks set no policy. preload_test.cpp uses this.
Policies policies_of_walks() {
  const bool has_none = std::getenv("CRIVO_MODEL_NO_POLICY") != nullptr;
  return has_none ? only({"no policy", [] { return nullptr; }}) : all_policies();
}

void walk(std::uint64_t seed, const Policies& policies, Tally& tally) {
  try {
    Walk(seed, policies, tally).run();
  } catch (const Failure& failure) {
    FAIL() << failure.what();
  }
}

/// CRIVO_MODEL_WALKS changes the number of walks.
void walk_all(std::uint64_t walks) {
  if (const char* const given = std::getenv("CRIVO_MODEL_WALKS")) walks = std::stoull(given);
  Tally tally;
  tally.tell = std::getenv("CRIVO_MODEL_SEED") != nullptr;
  if (!walk_seeds("CRIVO_MODEL_SEED", 1, walks, [&](auto seed) { walk(seed, policies_of_walks(), tally); })) return;
  const ScanCounts& scans = scan_counts();
  std::cout << tally.walks << " walks, " << tally.walks_with_useful_filters << " with useful filters, which said no "
            << tally.useful << " times; scans left out " << scans.skipped << " of " << scans.asked << " files\n";
  for (const auto& [name, uses] : tally.rows) std::cout << uses << " x " << name << '\n';
  EXPECT_GE(tally.walks_with_useful_filters, walks * 3 / 5) << "walks without filters prove nothing";
  const std::uint64_t one_in = walks < 20 ? 40 : 20;  // a few walks have few scans that can skip files
  EXPECT_GT(scans.skipped, scans.asked / one_in) << "scans that skip nothing prove nothing";
  EXPECT_GT(scans.found, walks);
  EXPECT_GT(scans.denied, walks / 10);
}

TEST(RocksdbModel, LosesNothingOnRandomWalks) { walk_all(20); }
TEST(RocksdbModel, LosesNothingOnLongSeriesOfRandomWalks) { walk_all(2000); }

/// What GoogleTest would print of the first failure of walks with one policy, or "".
std::string first_failure(const PolicyRow& policy) {
  ::testing::TestPartResultArray failures;
  const ::testing::ScopedFakeTestPartResultReporter reporter(&failures);
  Tally ignored;
  walk_seeds("CRIVO_LOSSY_SEED", 1, 20, [&](std::uint64_t seed) {
    if (failures.size() == 0) walk(seed, only(policy), ignored);
  });
  return failures.size() == 0 ? "" : failures.GetTestPartResult(0).message();
}

TEST(RocksdbModel, FindsAKeyThatABuilderDropped) {
  const std::string failure =
      first_failure({"dropping", [] { return std::make_shared<LossyPolicy>(LossyPolicy::Loss::kBuilder, 200); }});
  EXPECT_THAT(failure, ContainsRegex("LOST: .*\n.*in (step .*|the end)\n.*\n.*dropping"));
  EXPECT_THAT(failure, HasSubstr("CRIVO_LOSSY_SEED="));
}

TEST(RocksdbModel, FindsAKeyThatAReaderDenied) {
  const std::string failure =
      first_failure({"denying", [] { return std::make_shared<LossyPolicy>(LossyPolicy::Loss::kReader, 200); }});
  // An older value of the key is found, or none.
  EXPECT_THAT(failure, AnyOf(HasSubstr("LOST: "), HasSubstr("and not \"")));
}

}  // namespace
}  // namespace crivo::testing::model
