// Runs of hashes in a file: damage is an error. The contract tests build filters through them.
#include <unistd.h>

#include <algorithm>
#include <random>

#include "build/file_memory.h"
#include "build/run_reader.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

// Its reader refers to its runs.
static_assert(!std::is_copy_constructible_v<RunSource<std::uint64_t>> &&
              !std::is_move_constructible_v<RunSource<std::uint64_t>>);

/// Two runs of random hashes, in blocks of 16.
HashRuns sample() {
  std::mt19937_64 random(0);
  HashRuns runs("", 16);
  for (const std::size_t count : {1U, 3001U}) {
    std::vector<std::uint64_t> run(count);
    std::ranges::generate(run, random);
    std::ranges::sort(run);
    EXPECT_TRUE(runs.append(run));
  }
  return runs;
}

TEST(HashRuns, NoticeEveryByteThatADiskChanges) {
  const HashRuns runs = sample();
  const BuildOptions options;
  BuildTask task(options);
  const auto ignore = [](std::span<const std::uint64_t>) -> Result<void> { return {}; };
  const int file = runs.descriptor();
  for (std::uint64_t at = 0; at < 8 * runs.size(); at += 611) {
    unsigned char byte = 0;
    ASSERT_EQ(::pread(file, &byte, 1, static_cast<off_t>(at)), 1);
    const unsigned char changed = byte ^ 0x10;
    ASSERT_EQ(::pwrite(file, &changed, 1, static_cast<off_t>(at)), 1);
    for (const auto& read :
         {runs.for_each(ignore), for_each_distinct<std::uint64_t>(runs, runs.least_room(), task, ignore)}) {
      ASSERT_FALSE(read) << at;
      EXPECT_EQ(read.error().code, ErrorCode::kSystem);
      EXPECT_THAT(read.error().message, StartsWith("temp_folder must return the bytes that were written, got "));
    }
    ASSERT_EQ(::pwrite(file, &byte, 1, static_cast<off_t>(at)), 1);
  }
  EXPECT_TRUE(runs.for_each(ignore));
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(8 * runs.size() - 8)), 0);
  EXPECT_FALSE(runs.for_each(ignore));
}

TEST(FileMemory, IsZeroAndOutlivesItsHandle) {
  auto handle = FileMemory::make("", 100'000);
  FileMemory* memory = handle->get();
  auto* first = static_cast<unsigned char*>(memory->allocate(90'000, 64));
  auto* second = static_cast<unsigned char*>(memory->allocate(200'000, 64));  // more than the file has
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
