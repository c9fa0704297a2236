// Runs of hashes in a file: every range of any hashes is read back in order without duplicates. Damage is detected.
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>

#include "build/file_memory.h"
#include "build/hash_collector.h"
#include "build/run_reader.h"
#include "crivo/hash.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

// RunSource's reader refers to its runs, so a copy would refer to the wrong object.
static_assert(!std::is_copy_constructible_v<RunSource<std::uint64_t>> &&
              !std::is_move_constructible_v<RunSource<std::uint64_t>>);

constexpr std::size_t kBlock = 16;

/// Sets of hashes: uniform, close together, at both ends, and nearly all equal.
std::vector<std::set<std::uint64_t>> sets_of(std::size_t runs, unsigned which) {
  std::mt19937_64 random(which);
  std::vector<std::set<std::uint64_t>> sets(runs);
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < 1 + 3000 * run; ++i) {
      const std::uint64_t hash = random();
      const std::uint64_t choices[] = {hash, hash % 1000, 0 - hash % 1000, i < 3 ? 0 - std::uint64_t{i % 2} : 7 + i};
      sets[run].insert(choices[which]);
    }
  }
  return sets;
}

struct Sample {
  HashRuns runs;
  std::vector<std::uint64_t> all;  // the distinct hashes, ascending
};

Sample sample_of(std::size_t count, unsigned which) {
  Sample sample{HashRuns("", kBlock), {}};
  std::set<std::uint64_t> all;
  for (const auto& set : sets_of(count, which)) {
    const std::vector<std::uint64_t> run(set.begin(), set.end());
    EXPECT_TRUE(sample.runs.append(run));
    all.insert(set.begin(), set.end());
  }
  sample.all.assign(all.begin(), all.end());
  return sample;
}

TEST(HashRuns, GiveTheDistinctHashesInOrder) {
  for (unsigned which = 0; which < 4; ++which) {
    for (const std::size_t count : {1U, 2U, 5U}) {
      const Sample sample = sample_of(count, which);
      for (const std::size_t room :
           {sample.runs.min_buffer_hashes(), sample.runs.min_buffer_hashes() + 100, std::size_t{100'000}}) {
        const BuildOptions options;
        BuildTask task(options);
        std::vector<std::uint64_t> read;
        const auto use = [&](std::span<const std::uint64_t> part) -> Result<void> {
          EXPECT_LE(part.size(), room);
          read.insert(read.end(), part.begin(), part.end());
          return {};
        };
        const auto done = for_each_distinct<std::uint64_t>(sample.runs, room, task, use);
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(read, sample.all) << which << " " << count << " " << room;
      }
    }
  }
}

TEST(HashRuns, AreTakenFromTheHighestToTheLowest) {
  for (unsigned which = 0; which < 4; ++which) {
    for (const std::uint64_t step : {1U, 50U, 700U}) {
      Sample sample = sample_of(4, which);
      const BuildOptions options;
      const std::uint64_t limit =
          kBytesPerThread + 2 * sizeof(std::uint64_t) * (sample.runs.min_buffer_hashes() + 4000);
      BuildTask task(options, MemoryBudget(kCallersMemoryBytes + limit));
      RunSource<std::uint64_t> source(std::move(sample.runs), sample.all.size(), task);
      EXPECT_EQ(source.size(), sample.all.size());
      std::vector<std::uint64_t> left = sample.all;
      while (!left.empty()) {
        const std::uint64_t first = left.size() > step ? left[left.size() - step] : 0;
        const auto taken = source.take_from(first);
        const auto expected = std::lower_bound(left.begin(), left.end(), first);
        EXPECT_TRUE(std::equal(expected, left.end(), taken->begin(), taken->end())) << which << " " << step;
        left.erase(expected, left.end());
      }
      EXPECT_TRUE(source.take_from(0)->empty());
    }
  }
}

TEST(HashRuns, AreTakenFromTheHighestInPartsThatFit) {
  for (unsigned which = 0; which < 4; ++which) {
    for (const bool after_a_range : {false, true}) {
      Sample sample = sample_of(4, which);
      const BuildOptions options;
      const std::uint64_t limit = kBytesPerThread + 2 * sizeof(std::uint64_t) * (sample.runs.min_buffer_hashes() + 500);
      BuildTask task(options, MemoryBudget(kCallersMemoryBytes + limit));
      RunSource<std::uint64_t> source(std::move(sample.runs), sample.all.size(), task);
      for (int pass = 0; pass < 2; ++pass, source.rewind()) {
        std::vector<std::uint64_t> taken;
        const auto prepend = [&](std::span<const std::uint64_t> part) {
          taken.insert(taken.begin(), part.begin(), part.end());
        };
        if (after_a_range) prepend(*source.take_from(sample.all[sample.all.size() - 10]));
        for (auto part = source.take_highest(); !part->empty(); part = source.take_highest()) {
          prepend(*part);
          ASSERT_LE(taken.size(), sample.all.size()) << which;
        }
        EXPECT_EQ(taken, sample.all) << which << " " << after_a_range << " " << pass;
        EXPECT_TRUE(source.take_highest()->empty());
      }
    }
  }
}

TEST(HashRuns, AreCountedAndShownWithinTheirShareOfTheProgress) {
  const Sample sample = sample_of(4, 0);
  double done = 0;
  BuildOptions options;
  options.progress = [&done](double now) {
    done = now;
    return true;
  };
  BuildTask task(options,
                 MemoryBudget(kCallersMemoryBytes + kBytesPerThread + 8 * (sample.runs.min_buffer_hashes() + 500)));
  std::vector<std::uint64_t> seen;
  const auto see = [&seen](std::span<const std::uint64_t> part) { seen.insert(seen.end(), part.begin(), part.end()); };
  EXPECT_EQ(*count_distinct<std::uint64_t>(sample.runs, task, see), sample.all.size());
  EXPECT_EQ(seen, sample.all);
  EXPECT_GT(done, 0.99 * kSortShare);  // the highest of 18,000 random hashes is near 2^64
  EXPECT_LE(done, kSortShare);
}

TEST(HashRuns, SayThatARangeHasMoreThanThereIsMemoryFor) {
  Sample sample = sample_of(4, 0);
  const BuildOptions options;
  BuildTask task(options);
  RunReader<std::uint64_t> reader(sample.runs, 200, task);
  std::uint64_t first = 0;
  const auto read = reader.down_to(first, UINT64_MAX);
  EXPECT_THAT(read.error().message, StartsWith("hashes must be uniform, as hash_key makes them, got "));
}

TEST(HashRuns, NoticeEveryByteThatADiskChanges) {
  const Sample sample = sample_of(2, 0);
  const BuildOptions options;
  BuildTask task(options);
  const auto ignore = [](std::span<const std::uint64_t>) -> Result<void> { return {}; };
  const int file = sample.runs.descriptor();
  for (std::uint64_t at = 0; at < 8 * sample.runs.size(); at += 611) {
    unsigned char byte = 0;
    ASSERT_EQ(::pread(file, &byte, 1, static_cast<off_t>(at)), 1);
    const unsigned char changed = byte ^ 0x10;
    ASSERT_EQ(::pwrite(file, &changed, 1, static_cast<off_t>(at)), 1);
    for (const auto& read :
         {sample.runs.for_each(ignore),
          for_each_distinct<std::uint64_t>(sample.runs, sample.runs.min_buffer_hashes(), task, ignore)}) {
      ASSERT_FALSE(read) << at;
      EXPECT_EQ(read.error().code, ErrorCode::kSystem);
      EXPECT_THAT(read.error().message, StartsWith("temp_folder must return the bytes that were written, got "));
    }
    ASSERT_EQ(::pwrite(file, &byte, 1, static_cast<off_t>(at)), 1);
  }
  EXPECT_TRUE(sample.runs.for_each(ignore));
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(8 * sample.runs.size() - 8)), 0);
  EXPECT_FALSE(sample.runs.for_each(ignore));
}

TEST(HashCollector, ComeBackInOrderFromMemoryAndFromAFile) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(200'000);
  for (std::uint64_t& hash : hashes) hash = random();
  for (const std::uint64_t limit : {UINT64_MAX, std::uint64_t{5} << 20, std::uint64_t{9} << 18}) {
    const BuildOptions options;
    BuildTask task(options, MemoryBudget(limit == UINT64_MAX ? limit : kCallersMemoryBytes + limit));
    HashCollector bumped(hashes.size(), task);
    EXPECT_TRUE(bumped.empty());
    for (std::size_t at = 0; at < hashes.size(); at += 1000) {
      ASSERT_TRUE(bumped.add(std::span(hashes).subspan(at, 1000)));
      EXPECT_FALSE(bumped.empty());
    }
    auto source = std::move(bumped).sorted();
    EXPECT_EQ((*source)->size(), hashes.size());
    std::vector<std::uint64_t> expected = hashes;
    std::sort(expected.begin(), expected.end());
    for (const std::uint64_t first : {std::uint64_t{3} << 62, std::uint64_t{1} << 63, std::uint64_t{1} << 62}) {
      const auto taken = (*source)->take_from(first);
      const auto from = std::lower_bound(expected.begin(), expected.end(), first);
      EXPECT_TRUE(std::equal(from, expected.end(), taken->begin(), taken->end())) << limit;
      expected.erase(from, expected.end());
    }
  }
}

TEST(FileMemory, IsZeroAndOutlivesItsHandle) {
  auto handle = FileMemory::make("", 100'000);
  FileMemory* memory = handle->get();
  auto* first = static_cast<unsigned char*>(memory->allocate(90'000, 64));
  auto* second = static_cast<unsigned char*>(memory->allocate(200'000, 64));  // more than the file's size
  handle->reset();
  EXPECT_EQ(std::count(first, first + 90'000, 0), 90'000);
  EXPECT_EQ(std::count(second, second + 200'000, 0), 200'000);
  std::fill(first, first + 90'000, static_cast<unsigned char>(1));
  std::fill(second, second + 200'000, static_cast<unsigned char>(1));
  memory->deallocate(first, 90'000, 64);
  memory->deallocate(second, 200'000, 64);
}

}  // namespace
}  // namespace crivo::testing
