// The memory of builders: pages that builders reuse, and a limit for all builders.
#include "builder/build_memory.h"

#include <gtest/gtest.h>
#if __has_include(<rocksdb/advanced_cache.h>)  // RocksDB 8 moved the class there
#include <rocksdb/advanced_cache.h>
#endif
#include <rocksdb/cache.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "builder/block_memory.h"
#include "builder/builder.h"
#include "builder/hash_log.h"

namespace crivo::testing {
namespace {

using namespace plugin;

constexpr std::size_t kChunk = BuildMemory::kChunkBytes;
constexpr std::size_t kNoLimit = BuildMemory::kNoLimit;

/// Sums a field of /proc/self/smaps over the mappings that overlap these bytes.
std::size_t mapped(const std::byte* begin, std::size_t size, const std::string& figure) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  std::size_t sum = 0;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long first = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) inside = first < from + size && end > from;
    if (inside && line.starts_with(figure + ":")) sum += 1024 * std::stoul(line.substr(figure.size() + 1));
  }
  return sum;
}

TEST(BuildMemory, HandsAChunkToTheNextBuilder) {
  BuildMemory memory;
  std::byte* const chunk = memory.allocate_chunk(kNoLimit);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunk) % kChunk, 0U) << "where a huge page fits";
  EXPECT_EQ(memory.held(), kChunk);
  memory.free_chunk(chunk);
  EXPECT_EQ(memory.held(), 0U);
  EXPECT_EQ(memory.cached_bytes(), kChunk);
  EXPECT_EQ(memory.allocate_chunk(kNoLimit), chunk);
  memory.free_chunk(chunk);
}

TEST(BuildMemory, KeepsNoMoreThanItMay) {
  BuildMemory memory(3);
  std::vector<std::byte*> chunks(5);
  for (std::byte*& chunk : chunks) chunk = memory.allocate_chunk(kNoLimit);
  for (std::byte* chunk : chunks) memory.free_chunk(chunk);
  EXPECT_EQ(memory.cached_bytes(), 3 * kChunk);
  EXPECT_EQ(mapped(chunks[4], kChunk, "Size"), 0U) << "the others are the system's again";
}

TEST(BuildMemory, GivesNothingBeyondTheLimit) {
  BuildMemory memory;
  EXPECT_EQ(memory.allocate_chunk(kChunk - 1), nullptr);
  std::byte* const chunk = memory.allocate_chunk(kChunk);
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(memory.allocate_chunk(2 * kChunk - 1), nullptr);
  EXPECT_FALSE(memory.count(2, kChunk + 1));
  EXPECT_TRUE(memory.count(1, kChunk + 1));
  EXPECT_FALSE(memory.count(SIZE_MAX, SIZE_MAX)) << "sums must not overflow";
  memory.discount(1);
  memory.free_chunk(chunk);
  EXPECT_EQ(memory.held(), 0U);
}

TEST(BuildMemory, CountsWhatItKeepsUntilTheRoomIsNeeded) {
  BuildMemory memory;
  std::byte* const chunks[] = {memory.allocate_chunk(kNoLimit), memory.allocate_chunk(kNoLimit)};
  for (std::byte* chunk : chunks) memory.free_chunk(chunk);
  (void)memory.reset_peak();
  EXPECT_TRUE(memory.count(2 * kChunk, 3 * kChunk));
  EXPECT_EQ(memory.cached_bytes(), kChunk) << "one had to go";
  EXPECT_EQ(memory.reset_peak(), 3 * kChunk);
  memory.discount(2 * kChunk);
}

TEST(BuildMemory, LinesChunksUpWithoutLosingAByte) {
  BuildMemory memory(0);
  std::vector<std::byte*> chunks(7);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks[i] = memory.allocate_chunk(kNoLimit);
    std::memset(chunks[i], static_cast<int>(i + 1), kChunk);
  }
  std::swap(chunks[1], chunks[5]);
  ASSERT_TRUE(make_adjacent(chunks));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_EQ(chunks[i], chunks[0] + i * kChunk);
    const auto value = static_cast<std::byte>((i == 1 ? 5 : i == 5 ? 1 : i) + 1);
    EXPECT_TRUE(std::all_of(chunks[i], chunks[i] + kChunk, [value](std::byte byte) { return byte == value; }));
  }
  for (std::byte* chunk : chunks) memory.free_chunk(chunk);
}

TEST(BuildMemory, IsSharedByThreads) {
  constexpr std::size_t kLimit = 9 * kChunk;
  constexpr int kThreads = 8;
  BuildMemory memory(4);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&memory, thread] {
      for (int round = 0; round < 4000; ++round) {
        std::byte* const chunk = memory.allocate_chunk(kLimit);
        const bool counted = memory.count(kChunk / 2, kLimit);
        if (chunk != nullptr) {
          *chunk = static_cast<std::byte>(thread);
          if (round % 16 == 0) std::this_thread::yield();
          EXPECT_EQ(*chunk, static_cast<std::byte>(thread)) << "two threads have the same chunk";
          memory.free_chunk(chunk);
        }
        if (counted) memory.discount(kChunk / 2);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(memory.held(), 0U);
  EXPECT_LE(memory.cached_bytes(), 4 * kChunk);
  EXPECT_LE(memory.reset_peak(), kLimit);
}

// A sanitizer's heap delays the reuse of freed memory, so each build gets new pages.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(BuildMemory, SparesTheNextBuilderThePageFaults) {
  const auto faults_of_build = [](BuildMemory& memory, Kind kind) {
    constexpr std::uint64_t kKeys = 1'000'000;
    rusage before{};
    getrusage(RUSAGE_THREAD, &before);
    {
      const LevelSpec spec{.kind = kind, .bits_per_key = 10, .fp_rate = 0.01};
      BlockBuilder builder(BlockSizing(spec), /*verify=*/false, nullptr, nullptr, {.memory = &memory});
      for (std::uint64_t i = 0; i < kKeys; ++i) builder.AddKey({reinterpret_cast<const char*>(&i), sizeof i});
      std::unique_ptr<const char[]> buffer;
      EXPECT_GT(builder.Finish(&buffer).size(), kKeys / 2);
    }
    rusage after{};
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt - before.ru_minflt;
  };
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    BuildMemory memory;
    for (int i = 0; i < 3; ++i) faults_of_build(memory, kind);  // until malloc reuses its memory too
    const long pages = 1'000'000 * 8 / 4096;
    EXPECT_LT(faults_of_build(memory, kind), pages / 20) << kind_name(kind);
  }
}
#endif

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = i * 0x9e3779b97f4a7c15 + 1;
  return hashes;
}

std::vector<std::uint64_t> read_all(const HashLog& log) {
  std::vector<std::uint64_t> all;
  EXPECT_TRUE(log.read([&](std::span<const std::uint64_t> part) {
    all.insert(all.end(), part.begin(), part.end());
    return true;
  }));
  return all;
}

TEST(TemporaryMemory, IsChargedOrRefused) {
  const auto cache = rocksdb::NewLRUCache(1 << 20, /*num_shard_bits=*/0, /*strict_capacity_limit=*/true);
  BuildMemory pages;
  TemporaryMemory memory(pages, BuildMemory::kNoLimit, cache);
  constexpr std::size_t kLarge = std::size_t{3} << 19;
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_THROW((void)memory.allocate(kLarge, 64), std::bad_alloc) << "the cache has no room";
    EXPECT_EQ(cache->GetUsage(), 0U);
  }
  void* const small = memory.allocate(1000, 64);
  EXPECT_GT(cache->GetUsage(), 0U);
  memory.deallocate(small, 1000, 64);
  EXPECT_EQ(cache->GetUsage(), 0U);
}

TEST(TemporaryMemory, IsChargedForWhatWasUsedOfItsChunk) {
  constexpr std::size_t kLarge = 128 << 10;
  constexpr std::size_t kEntry = 256 << 10;
  constexpr std::size_t kEntryOverhead = 1000;  // RocksDB also charges the size of an entry itself
  for (const bool has_chunk : {true, false}) {
    const auto cache = rocksdb::NewLRUCache(16 << 20, /*num_shard_bits=*/0, /*strict_capacity_limit=*/true);
    BuildMemory pages;
    TemporaryMemory memory(pages, has_chunk ? BuildMemory::kNoLimit : BuildMemory::kChunkBytes / 2, cache);
    for (int turn = 0; turn < 3; ++turn) {
      void* const piece = memory.allocate(kLarge, 64);
      EXPECT_EQ(pages.held() >= BuildMemory::kChunkBytes, has_chunk);
      EXPECT_GE(cache->GetUsage(), kEntry);
      EXPECT_LE(cache->GetUsage(), kEntry + kEntryOverhead) << "the same bytes are charged once";
      memory.deallocate(piece, kLarge, 64);
      EXPECT_EQ(cache->GetUsage() == 0, !has_chunk) << "it stays for the next piece";
    }
  }
}

/// The sizes at which the log of hashes moves from its first array to a chunk, and from a chunk to the next one.
constexpr std::size_t kSizes[] = {0, 1, 8191, 8192, 8193, 262'143, 262'144, 262'145, 524'288, 524'289};

TEST(HashLog, HasThemAllInOrder) {
  for (const std::size_t size : kSizes) {
    BuildMemory memory;
    HashLog log(memory);
    const auto hashes = numbers(size);
    for (const std::uint64_t hash : hashes) log.append(hash);
    EXPECT_EQ(log.size(), size);
    EXPECT_EQ(read_all(log), hashes);
    EXPECT_TRUE(std::ranges::equal(log.in_one_array(), hashes));
    log.append(7);
    EXPECT_EQ(log.size(), size + 1) << "it goes on after its chunks have moved";
    EXPECT_EQ(read_all(log).back(), 7U);
  }
}

TEST(HashLog, MakesASetAndGoesOn) {
  for (const std::size_t size : kSizes) {
    BuildMemory memory;
    HashLog log(memory);
    auto hashes = numbers(size);
    for (const std::uint64_t hash : hashes) {
      log.append(hash);
      log.append(hash);
    }
    std::ranges::sort(hashes);
    EXPECT_TRUE(std::ranges::equal(log.make_set(), hashes));
    EXPECT_EQ(log.size(), size);
    log.append(7);
    EXPECT_EQ(log.size(), size + 1);
    EXPECT_EQ(read_all(log).back(), 7U);
  }
}

TEST(HashLog, HasThemAllWhenTheyAreInAFile) {
  for (const std::size_t size : kSizes) {
    for (const std::size_t limit : {std::size_t{1}, 2 * kChunk}) {
      BuildMemory memory;
      HashLog log(memory, limit);
      auto hashes = numbers(size);
      for (const std::uint64_t hash : hashes) log.append(hash);
      EXPECT_LE(memory.held(), limit / 2 + (64 << 10)) << "half of it, and the first array";
      EXPECT_TRUE(log.spilled() || size * 8 <= limit + (64 << 10));
      log.spill();
      EXPECT_EQ(log.size(), size);
      auto found = read_all(log);
      std::ranges::sort(found);
      std::ranges::sort(hashes);
      EXPECT_EQ(found, hashes);
      EXPECT_TRUE(log.make_set().empty()) << "a part of the hashes is not all of them";
      EXPECT_EQ(log.size(), size);
      log.clear();
      EXPECT_EQ(log.size(), 0U);
      log.append(3);
      EXPECT_EQ(read_all(log), std::vector<std::uint64_t>{3});
    }
  }
}

TEST(HashLog, GivesItsMemoryBack) {
  BuildMemory memory;
  {
    HashLog log(memory);
    for (const std::uint64_t hash : numbers(1'000'000)) log.append(hash);
    EXPECT_EQ(memory.held(), 4 * kChunk + (64 << 10));
    HashLog other(memory);
    other.swap(log);
    EXPECT_EQ(other.size(), 1'000'000U);
    EXPECT_EQ(memory.held(), 4 * kChunk + (64 << 10));
    other.clear();
    EXPECT_EQ(memory.held(), std::size_t{64} << 10) << "the array for a partition stays";
  }
  EXPECT_EQ(memory.held(), 0U);
}

TEST(HashLog, KeepsEveryHashOfASetThatFillsItsChunks) {
  constexpr std::size_t kHashes = 2 * kChunk / sizeof(std::uint64_t);
  BuildMemory memory;
  HashLog log(memory);
  for (std::uint64_t i = 0; i < kHashes; ++i) log.append(i * 0x9E3779B97F4A7C15);
  EXPECT_EQ(log.make_set().size(), kHashes);
  EXPECT_EQ(log.size(), kHashes);
}

// Tests RocksDB's option detect_filter_construct_corruption.
TEST(VerifiedBuilder, ReportsHashesAndBlocksThatChangedInMemory) {
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    BuildMemory memory;
    std::byte* const chunk = memory.allocate_chunk(kNoLimit);
    memory.free_chunk(chunk);  // the next builder stores its hashes in this chunk
    BlockBuilder builder(BlockSizing({.kind = kind, .bits_per_key = 10, .fp_rate = 0.01}), /*verify=*/true, nullptr,
                         nullptr, {.memory = &memory});
    const auto finish = [&](bool damaged, std::unique_ptr<const char[]>* buffer) {
      for (int i = 0; i < 10'000; ++i) builder.AddKey(std::to_string(i));
      if (damaged) chunk[100] ^= std::byte{1};
      rocksdb::Status status;
      const rocksdb::Slice block = builder.Finish(buffer, &status);
      EXPECT_EQ(status.IsCorruption(), damaged) << status.ToString();
      return block;
    };
    std::unique_ptr<const char[]> buffer;
    EXPECT_EQ(finish(true, &buffer).size(), 6U) << "every key passes";
    const rocksdb::Slice intact = finish(false, &buffer);
    EXPECT_TRUE(builder.MaybePostVerify(intact).ok());
    const rocksdb::Slice changed = finish(false, &buffer);
    char& byte = const_cast<char*>(changed.data())[changed.size() / 2];
    byte = static_cast<char>(byte ^ 0x55);
    EXPECT_TRUE(builder.MaybePostVerify(changed).IsCorruption());
  }
}

}  // namespace
}  // namespace crivo::testing
