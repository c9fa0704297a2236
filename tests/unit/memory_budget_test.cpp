// The shares of a build's memory, by themselves; what a build really takes is measured in tests/contract.
#include "build/memory_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "crivo/build_options.h"

namespace crivo {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(MemoryBudget, WithoutALimitEveryShareIsUnbounded) {
  const MemoryBudget budget(UINT64_MAX);
  EXPECT_TRUE(budget.check());
  EXPECT_FALSE(budget.is_limited());
  EXPECT_EQ(budget.left_beside(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(budget.for_hashes(UINT64_MAX / 2), UINT64_MAX);
  EXPECT_FALSE(budget.is_for_file(UINT64_MAX / 2));
  EXPECT_TRUE(budget.holds_twice(std::uint64_t{1} << 40));
}

TEST(MemoryBudget, OfAPartLeavesWhatAnotherPartHolds) {
  const MemoryBudget all(std::uint64_t{32} << 20);
  const MemoryBudget part = all.beside(1 << 20);
  EXPECT_EQ(part.left_beside(0), all.left_beside(1 << 20));
  EXPECT_EQ(part.beside(1 << 20).left_beside(0), all.left_beside(2 << 20));
  EXPECT_EQ(part.too_many(7).message, all.too_many(7).message) << "the limit is still the caller's";
  EXPECT_FALSE(MemoryBudget().beside(1 << 20).is_limited());
}

TEST(MemoryBudget, LeavesTheCallersShareAndNeverFallsBelowZero) {
  const MemoryBudget budget(kMinBuildMemoryBytes);
  EXPECT_EQ(budget.left_beside(0), kMinBuildMemoryBytes - kCallersMemoryBytes);
  EXPECT_EQ(budget.left_beside(kMiB), kMinBuildMemoryBytes - kCallersMemoryBytes - kMiB);
  EXPECT_EQ(budget.left_beside(UINT64_MAX), 0U);
  EXPECT_EQ(budget.for_hashes(100 * kMiB), 0U);
}

TEST(MemoryBudget, TheSharesOfOneMomentFitTogether) {
  for (const std::uint64_t limit : {16 * kMiB, 17 * kMiB, 100 * kMiB, 2048 * kMiB, std::uint64_t{1} << 50}) {
    const MemoryBudget budget(limit);
    const std::uint64_t all = limit - kCallersMemoryBytes;
    EXPECT_LE(8 * budget.for_hashes(3 * kMiB) + 3 * kMiB, all) << "an array, and the index of a file";
    EXPECT_LE(2 * budget.for_payload(true), all) << "an old payload and a new one";
    EXPECT_LE(budget.for_payload(false), all);
    EXPECT_LE(threads_within(all, 1024) * kBytesPerThread, std::max(all / 8, kBytesPerThread));
    for (std::uint64_t hashes = 1; hashes < all / 8; hashes *= 3) {
      for (const bool once : {false, true}) {
        const std::uint64_t beside = once ? hashes : 8 * hashes;  // of keys that were bumped, or that are sorted
        if (budget.holds(hashes, 5 * kMiB, once)) {
          EXPECT_LE(8 * hashes + beside + 5 * kMiB, all);
        }
        EXPECT_FALSE(budget.holds(hashes, all - 8 * hashes + 1, once));
      }
      EXPECT_EQ(budget.holds_twice(hashes), 16 * hashes <= all);
    }
    EXPECT_TRUE(budget.holds(1, 0, false));
  }
}

TEST(MemoryBudget, BlocksOfAFileGrowWithTheMemoryWithinBounds) {
  EXPECT_EQ(MemoryBudget(kMinBuildMemoryBytes).block_hashes(), 512U);
  EXPECT_EQ(MemoryBudget(64 * kMiB).block_hashes(), 2048U);
  EXPECT_EQ(MemoryBudget(UINT64_MAX).block_hashes(), 8192U);
}

TEST(MemoryBudget, RefusesLimitsThatAreTooLowByNameAndValue) {
  EXPECT_EQ(MemoryBudget(kMinBuildMemoryBytes - 1).check().error().message,
            "max_memory must be at least 16777216, got 16777215");
  EXPECT_EQ(MemoryBudget(20 * kMiB).too_little(30 * kMiB, 25 * kMiB).message,
            "max_memory must be at least 41943040 for a filter of 26214400 bytes, got 20971520");
}

}  // namespace
}  // namespace crivo
