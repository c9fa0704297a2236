// Random walks (model.h): a scan with a filter gives what it gives without.
#include <iostream>

#include "model.h"

namespace crivo::testing::model {
namespace {

void walk_all(std::uint64_t first, std::uint64_t walks) {
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

TEST(ScanModel, LosesNothingOnRandomWalks) { walk_all(100'000, 100); }
TEST(ScanModel, LosesNothingOnLongSeriesOfRandomWalks) { walk_all(200'000, 1000); }

}  // namespace
}  // namespace crivo::testing::model
