// Out of memory at every allocation inside the plugin: no exception crosses into RocksDB, and no key is lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "support.h"

namespace {

thread_local long allocations_left = -1;  // -1: as many as you like
thread_local bool persistent = false;     // after the first failure, every other fails
thread_local bool failed = false;         // one was refused

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left == 0) {
    failed = true;
    if (!persistent) allocations_left = -1;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) == 0 ? memory : nullptr;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 10000;  // three chunks of hashes

class RocksdbMemory : public ::testing::TestWithParam<bool> {};

TEST_P(RocksdbMemory, ExhaustedWhileBuildingGivesAFilterThatLetsEveryKeyPass) {
  const Policy policy = crivo_policy();
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
    persistent = GetParam();
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
    EXPECT_EQ(build_block(*builder, 0, 100).size(), builder->CalculateSpace(100)) << "the next block is a filter again";
  }
  EXPECT_GE(maybe_filters, 5) << "three chunks, the payload, the block";
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbMemory, ::testing::Bool(),
                         [](const auto& param_info) { return param_info.param ? "Persistently" : "Once"; });

TEST(RocksdbMemoryOfReaders, ExhaustedMeansNoReaderWhichRocksdbTakesAsMaybe) {
  const Policy policy = crivo_policy();
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
  const Policy policy = crivo_policy();
  const rocksdb::BlockBasedTableOptions table;
  allocations_left = 0;
  persistent = true;
  const auto builder = new_builder(*policy, table);
  allocations_left = -1;
  EXPECT_EQ(builder, nullptr);
}

}  // namespace
}  // namespace crivo::testing
