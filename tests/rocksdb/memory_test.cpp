// Memory inside the plugin. None left, at every allocation: no exception crosses into RocksDB, and no key is lost. And
// how much is taken to build a filter.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support.h"

namespace {

thread_local long allocations_left = -1;  // -1: as many as you like
thread_local bool persistent = false;     // after the first failure, every other fails
thread_local bool failed = false;         // one was refused
thread_local long live_bytes = 0;
thread_local long peak_bytes = 0;

bool refuse() {
  if (allocations_left == 0) {
    failed = true;
    if (!persistent) allocations_left = -1;
    return true;
  }
  if (allocations_left > 0) --allocations_left;
  return false;
}

void count(long bytes) {
  live_bytes += bytes;
  peak_bytes = std::max(peak_bytes, live_bytes);
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (refuse()) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) != 0) return nullptr;
  count(static_cast<long>(malloc_usable_size(memory)));
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  count(-static_cast<long>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }

// The plugin's hashes are in pages of their own.
extern "C" {
void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (refuse()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  count(static_cast<long>(size));
  return std::bit_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
void* mremap(void* address, std::size_t old_size, std::size_t size, int flags, ...) noexcept {
  if (refuse()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  count(static_cast<long>(size) - static_cast<long>(old_size));
  return std::bit_cast<void*>(syscall(SYS_mremap, address, old_size, size, flags));
}
int munmap(void* address, std::size_t size) noexcept {
  count(-static_cast<long>(size));
  return static_cast<int>(syscall(SYS_munmap, address, size));
}
}

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 10000;  // the log of hashes grows twice

class RocksdbMemory : public ::testing::TestWithParam<std::tuple<PolicyMaker, bool>> {};

TEST_P(RocksdbMemory, ExhaustedWhileBuildingGivesAFilterThatLetsEveryKeyPass) {
  const Policy policy = std::get<0>(GetParam()).make(10);
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys.push_back(key_of(i));
  bool finished = false;
  int maybe_filters = 0;
  for (long limit = 0; !finished; ++limit) {
    ASSERT_LT(limit, 100);
    const auto builder = new_builder(*policy, table);
    std::unique_ptr<const char[]> buffer;
    rocksdb::Status status;
    persistent = std::get<1>(GetParam());
    failed = false;
    allocations_left = limit;
    for (const std::string& key : keys) builder->AddKey(key);
    const std::size_t entries = builder->EstimateEntriesAdded();
    const rocksdb::Slice block = builder->Finish(&buffer, &status);
    finished = !failed;
    allocations_left = -1;

    EXPECT_TRUE(status.ok());
    EXPECT_EQ(entries, kKeys) << "keys were added, whether they found memory or not";
    EXPECT_TRUE(builder->MaybePostVerify(block).ok());
    EXPECT_GT(block.size(), 5U) << "RocksDB reads shorter ones as: no key at all";
    maybe_filters += block.size() == 6;
    EXPECT_EQ(block.size() == 6, !finished);
    for (const Policy& reading : {policy, builtin_bloom()}) {
      const auto reader = new_reader(*reading, block);
      for (const std::string& key : keys) ASSERT_TRUE(reader->MayMatch(key)) << "limit " << limit;
    }
    EXPECT_EQ(build_block(*builder, 0, 100), build_block(*new_builder(*policy), 0, 100))
        << "the next block is a filter again";
  }
  EXPECT_GE(maybe_filters, 4) << "the log, its growth, the payload, the block";
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->always_true, static_cast<std::uint64_t>(maybe_filters));
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbMemory,
                         ::testing::Combine(::testing::ValuesIn(our_policies()), ::testing::Bool()),
                         [](const auto& param_info) {
                           return std::get<0>(param_info.param).label +
                                  (std::get<1>(param_info.param) ? "Persistently" : "Once");
                         });

class RocksdbPeak : public ::testing::TestWithParam<PolicyMaker> {};

TEST_P(RocksdbPeak, OfBuildingAMillionKeysIsHardlyMoreThanTheirHashes) {
  constexpr std::uint64_t kMany = 1'100'000;  // a little more than 2^20: doubling would show
  const auto builder = new_builder(*GetParam().make(10));
  std::unique_ptr<const char[]> buffer;
  const long before = live_bytes;
  peak_bytes = before;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    std::array<char, 8> key;
    std::memcpy(key.data(), &i, sizeof i);
    builder->AddKey({key.data(), key.size()});
  }
  const std::size_t block = builder->Finish(&buffer).size();
  // The log of hashes is 64 to 72 bits per key. Blocked: no more, the hashes are gone before the payload is copied.
  // Ribbon: an empty payload of 7, the banding of a shard (850 KB, 7) and the bumped keys (4): 90. RocksDB's Ribbon
  // takes about 230 (docs/benchmarks.md).
  const double beyond = static_cast<double>(peak_bytes - before) - static_cast<double>(block);
  EXPECT_LT(beyond * 8 / kMany, GetParam().name == "crivo.Bloom" ? 73 : 94);
  EXPECT_GT(beyond * 8 / kMany, 64) << "the hashes must have been counted";
  EXPECT_LT(live_bytes - before, static_cast<long>(block + block / 100)) << "nothing but the block is left";
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbPeak, ::testing::ValuesIn(our_policies()),
                         [](const auto& param_info) { return param_info.param.label; });

TEST(RocksdbMemoryOfReaders, ExhaustedMeansNoReaderWhichRocksdbTakesAsMaybe) {
  const Policy policy = crivo_bloom();
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  std::string damaged = block;
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  for (const std::string& contents : {block, damaged}) {
    allocations_left = 0;
    persistent = true;
    const auto reader = new_reader(*policy, contents);
    allocations_left = -1;
    EXPECT_EQ(reader, nullptr);
  }
}

TEST(RocksdbMemoryOfBuilders, ExhaustedMeansNoBuilder) {
  const Policy policy = crivo_bloom();
  const rocksdb::BlockBasedTableOptions table;
  allocations_left = 0;
  persistent = true;
  const auto builder = new_builder(*policy, table);
  allocations_left = -1;
  EXPECT_EQ(builder, nullptr);
}

}  // namespace
}  // namespace crivo::testing
