// Sorting gives the same order as std::sort for every distribution of hashes, on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "build/sort.h"
#include "crivo/host/sort.h"

namespace crivo {
namespace {

using Hashes = std::vector<std::uint64_t>;

/// Uniform; few values; only lower or only upper bits; mostly one value; descending; ascending except for two hashes.
std::vector<Hashes> sets_of(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<Hashes> sets(7, Hashes(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t hash = random();
    sets[0][i] = hash;
    sets[1][i] = hash % 7;
    sets[2][i] = hash >> 44;
    sets[3][i] = hash << 44;
    sets[4][i] = i % 100 == 0 ? hash : 12345;
    sets[5][i] = ~std::uint64_t{0} - i;
    sets[6][i] = i;
  }
  if (count > 1) std::swap(sets[6].front(), sets[6].back());
  return sets;
}

TEST(HashSort, SortsWhateverItIsGiven) {
  // Ranges of more than 32768 hashes are partitioned.
  for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 1000U, 32'768U, 32'769U, 200'000U}) {
    for (Hashes& hashes : sets_of(count)) {
      Hashes expected = hashes;
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      for (const unsigned threads : {1U, 3U}) {
        const BuildOptions options{.threads = threads};
        BuildTask task(options);
        Hashes sorted = hashes;
        const auto distinct = sort_distinct(sorted, task);
        ASSERT_TRUE(distinct.has_value());
        sorted.resize(*distinct);
        EXPECT_EQ(sorted, expected) << count;
      }
      hashes.resize(sort_distinct(hashes).size());
      EXPECT_EQ(hashes, expected) << count;
    }
  }
}

}  // namespace
}  // namespace crivo
