// Random walks (model.h): no policy loses a live key, and a scan with a filter gives the same rows as one without.
#include "model.h"

#include <cstdlib>
#include <iostream>

#include "lossy_policy.h"

namespace crivo::testing::model {
namespace {

/// With CRIVO_MODEL_NO_POLICY, the walks set no policy. preload_test.cpp uses this.
Policies policies_of_walks() {
  const bool has_none = std::getenv("CRIVO_MODEL_NO_POLICY") != nullptr;
  return has_none ? only({"no policy", [] { return nullptr; }}) : all_policies();
}

/// CRIVO_MODEL_WALKS changes the number of walks.
void walk_all(std::uint64_t walks) {
  if (const char* const given = std::getenv("CRIVO_MODEL_WALKS")) walks = std::stoull(given);
  Tally tally;
  tally.tell = std::getenv("CRIVO_MODEL_SEED") != nullptr;
  const bool all = walk_seeds("CRIVO_MODEL_SEED", 1, walks, [&](std::uint64_t seed) {
    try {
      walk(seed, policies_of_walks(), tally);
    } catch (const Failure& failure) {
      FAIL() << failure.what();
    }
  });
  if (!all) return;
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

/// The first failure of walks with one policy, or "".
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
  // An older value of the key is found, or none.
  EXPECT_THAT(failure, AnyOf(HasSubstr("LOST: "), HasSubstr("and not \"")));
}

}  // namespace
}  // namespace crivo::testing::model
