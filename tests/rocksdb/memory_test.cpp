// Memory in the plugin. When any allocation fails, no exception crosses into RocksDB, and no key is lost. Also measures
// the memory of a filter build.
#include <malloc.h>
#include <rocksdb/env.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

#include "builder/builder.h"
#include "crivo/rocksdb_refilter.h"
#include "crivo/rocksdb_scan.h"
#include "limits_support.h"
#include "process_faults.h"

namespace {

thread_local crivo::testing::Faults faults;
thread_local long live_bytes = 0;
thread_local long peak_bytes = 0;
thread_local bool refuse_moves = false;
thread_local std::byte* reserved_begin = nullptr;  // reserved addresses without memory
thread_local std::byte* reserved_end = nullptr;

void count(long bytes) {
  live_bytes += bytes;
  peak_bytes = std::max(peak_bytes, live_bytes);
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (faults.strikes()) return nullptr;
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
// The sanitizers' operator new[] does not call operator new, so the test replaces it too.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

// The plugin maps pages for its hashes. Reserved addresses do not count as memory; pages moved there are not counted
// twice.
extern "C" {
void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (faults.strikes()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  auto* const mapped = std::bit_cast<std::byte*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
  reserved_begin = mapped;
  reserved_end = mapped + size;
  return mapped;
}
int mprotect(void* address, std::size_t size, int protection) noexcept {
  if (faults.strikes()) {
    errno = ENOMEM;
    return -1;
  }
  count(static_cast<long>(size));
  reserved_begin = reserved_end;
  return static_cast<int>(syscall(SYS_mprotect, address, size, protection));
}
void* mremap(void* address, std::size_t old_size, std::size_t size, int flags, ...) noexcept {
  if (faults.strikes() || refuse_moves) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  va_list arguments;
  va_start(arguments, flags);
  auto* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, std::byte*) : nullptr;
  va_end(arguments);
  if (to == reserved_begin) reserved_begin += size;
  count(static_cast<long>(size) - static_cast<long>(old_size));
  return std::bit_cast<void*>(syscall(SYS_mremap, address, old_size, size, flags, to));
}
int munmap(void* address, std::size_t size) noexcept {
  const auto* const begin = static_cast<std::byte*>(address);
  if (begin < reserved_begin || begin >= reserved_end) count(-static_cast<long>(size));
  if (begin == reserved_begin) reserved_begin += size;
  return static_cast<int>(syscall(SYS_munmap, address, size));
}
}

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 10000;  // more than the log's first array holds

std::string label_of(Kind kind) { return kind == Kind::kRibbon ? "Ribbon" : "Bloom"; }

/// Counts lines without allocating.
class CountingLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override { ++lines; }
  int lines = 0;
};

struct Exhaustion {
  Kind kind;
  bool persistent;
  bool spills;
};
void PrintTo(const Exhaustion& each, std::ostream* out) { *out << label_of(each.kind); }

class RocksdbMemory : public ::testing::TestWithParam<Exhaustion> {};

TEST_P(RocksdbMemory, OutOfMemoryGivesAFilterOrPassesAllKeys) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys.push_back(key_of(i));
  BuildMemory memory(0);  // each build then maps new pages
  const Policy readers[] = {crivo_bloom(), builtin_bloom()};
  const auto counters = std::make_shared<Counters>("crivo.Bloom");
  bool finished = false;
  int maybe_filters = 0;
  for (std::int64_t nth = 1; !finished; ++nth) {
    ASSERT_LT(nth, 101);
    CountingLog log;
    BlockBuilder builder(
        sizing_of(GetParam().kind), /*verify=*/true, nullptr, nullptr,
        {.max_build_bytes = GetParam().spills ? 100'000 : BuildMemory::kNoLimit, .memory = &memory, .log = &log},
        counters);
    std::unique_ptr<const char[]> buffer;
    rocksdb::Status status;
    faults = {true, GetParam().persistent, nth};
    for (const std::string& key : keys) builder.AddKey(key);
    const std::size_t entries = builder.EstimateEntriesAdded();
    const rocksdb::Slice block = builder.Finish(&buffer, &status);
    finished = !faults.struck;
    faults.armed = false;

    EXPECT_TRUE(status.ok());
    EXPECT_EQ(entries, kKeys) << "keys were added, whether they found memory or not";
    EXPECT_TRUE(builder.MaybePostVerify(block).ok());
    EXPECT_GT(block.size(), 5U) << "RocksDB reads shorter ones as: no key at all";
    maybe_filters += block.size() == 6;
    EXPECT_EQ(log.lines, block.size() == 6 ? 1 : 0);
    EXPECT_TRUE(!finished || block.size() > kKeys / 2) << "with memory there is a filter";
    for (const Policy& reading : readers) {
      const auto reader = new_reader(*reading, block);
      for (const std::string& key : keys) ASSERT_TRUE(reader->MayMatch(key)) << "allocation " << nth;
    }
    // With the limit that makes the log spill, no ribbon of any size can be built.
    BlockBuilder fresh = make_builder(GetParam().spills ? Kind::kBlocked : GetParam().kind, {.memory = &memory});
    EXPECT_EQ(build_block(builder, 0, 100), build_block(fresh, 0, 100)) << "the next block is a filter again";
  }
  // At least four failing allocations leave no filter: those of the log, of its file or its pages, and of the payload.
  // If only memory for a ribbon is short, the builder builds a blocked filter.
  EXPECT_GE(maybe_filters, 4);
  EXPECT_EQ(counters->snapshot().always_maybe, static_cast<std::uint64_t>(maybe_filters));
  EXPECT_EQ(memory.held(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbMemory,
                         ::testing::ValuesIn(std::vector<Exhaustion>{{Kind::kBlocked, false, false},
                                                                     {Kind::kBlocked, true, false},
                                                                     {Kind::kBlocked, false, true},
                                                                     {Kind::kBlocked, true, true},
                                                                     {Kind::kRibbon, false, false},
                                                                     {Kind::kRibbon, true, false},
                                                                     {Kind::kRibbon, false, true},
                                                                     {Kind::kRibbon, true, true}}),
                         [](const auto& param_info) {
                           return label_of(param_info.param.kind) +
                                  (param_info.param.persistent ? "Persistently" : "Once") +
                                  (param_info.param.spills ? "WithAFile" : "");
                         });

class RocksdbPages : public ::testing::TestWithParam<Kind> {};
CRIVO_FOR_BOTH_KINDS(RocksdbPages);

TEST_P(RocksdbPages, ThatCannotBeMovedMakeABlockedFilter) {
  constexpr std::uint64_t kMany = 300'000;  // two chunks
  BuildMemory memory(0);
  BlockBuilder builder = make_builder(GetParam(), {.memory = &memory}, /*verify=*/true);
  BlockBuilder blocked = make_builder(Kind::kBlocked, {.memory = &memory}, /*verify=*/true);
  refuse_moves = true;
  const std::string block = build_block(builder, 0, kMany);
  refuse_moves = false;
  EXPECT_EQ(block, build_block(blocked, 0, kMany));
}

TEST_P(RocksdbPages, OfAMillionKeysAreHardlyMoreThanTheirHashes) {
  constexpr std::uint64_t kMany = 1'040'000;  // four chunks, nearly full
  BuildMemory memory(0);
  BlockBuilder builder = make_builder(GetParam(), {.memory = &memory});
  std::unique_ptr<const char[]> buffer;
  const long before = live_bytes;
  peak_bytes = before;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    std::array<char, 8> key;
    std::memcpy(key.data(), &i, sizeof i);
    builder.AddKey({key.data(), key.size()});
  }
  const std::size_t block = builder.Finish(&buffer).size();
  // The log of hashes needs 64 bits per key, rounded up to chunks of 2 MiB. There is no second copy of the filter. A
  // ribbon needs one more chunk (16 bits per key) for banding and bumped keys. RocksDB's Ribbon needs about 230 bits
  // per key (docs/benchmarks.md).
  const double beyond = static_cast<double>(peak_bytes - before) - static_cast<double>(block);
  EXPECT_LT(beyond * 8 / kMany, GetParam() == Kind::kRibbon ? 84 : 66);
  EXPECT_GT(beyond * 8 / kMany, 64) << "the hashes must have been counted";
  EXPECT_LT(live_bytes - before, static_cast<long>(block + block / 50) + (64 << 10))
      << "nothing but the block is left, and an array for the next one's first hashes";
  // The builders' own count matches the allocations.
  EXPECT_NEAR(static_cast<double>(memory.reset_peak()), static_cast<double>(peak_bytes - before), 0.02 * 8 * kMany);
}

TEST(RocksdbMemoryOfScanFilters, IsNoMoreThanTheHeaderSays) {
  constexpr long kMaxBytes = 1 << 16;
  constexpr std::uint64_t kMany = 1'200'000;  // the values exceed the limit
  for (const auto& [rate, times] : {std::pair(0.01, 43), std::pair(0.5, 256)}) {
    std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> factory;
    ASSERT_TRUE(
        NewScanFilterCollectorFactory({.extract = "prefix:16", .fp_rate = rate, .max_bytes = kMaxBytes}, &factory)
            .ok());
    const std::unique_ptr<rocksdb::TablePropertiesCollector> collector(factory->CreateTablePropertiesCollector({}));
    const long before = live_bytes;
    peak_bytes = before;
    for (std::uint64_t i = 0; i < kMany; ++i) (void)collector->AddUserKey(key_of(i), "", rocksdb::kEntryPut, 0, 0);
    EXPECT_LE(peak_bytes - before, times * kMaxBytes) << rate;
    EXPECT_GT(peak_bytes - before, times * kMaxBytes / 4) << rate;
    EXPECT_LT(live_bytes - before, 1000) << "what does not fit is given up";
  }
}

TEST(RocksdbMemoryOfScanFilters, ExhaustedMeansAFilterOrAReasonOrAnErrorForLog) {
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> factory;
  ASSERT_TRUE(NewScanFilterCollectorFactory({.extract = "prefix:4,8 range:be64@0"}, &factory).ok());
  int errors = 0;
  bool struck = true;
  for (std::int64_t nth = 2; struck; ++nth) {  // the first allocation is the collector itself
    faults = {true, nth % 2 == 1, nth};
    const std::unique_ptr<rocksdb::TablePropertiesCollector> collector(factory->CreateTablePropertiesCollector({}));
    for (const char* const key : {"aaaabbbb", "aaaacccc", "bbbbcccc"}) {
      EXPECT_TRUE(collector->AddUserKey(key, "", rocksdb::kEntryPut, 0, 0).ok());
    }
    rocksdb::UserCollectedProperties properties;
    const rocksdb::Status finished = collector->Finish(&properties);
    faults.armed = false;
    struck = faults.struck;
    EXPECT_EQ(properties.size(), finished.ok() ? 3U : 0U) << "allocation " << nth;
    errors += finished.ok() ? 0 : 1;
  }
  EXPECT_GT(errors, 1);
}

/// The n-th allocation of the calling thread fails, counted from the last call of refilter's progress callback.
TEST(RocksdbMemoryOfRefilter, ExhaustedIsAStatus) {
  const TempFolder folder;
  const auto db = open_database(with_policy(test_options(), crivo_bloom()), folder.file("db"));
  put_keys(*db, 0, 100);
  int errors = 0;
  for (std::int64_t nth = 1; nth <= 20; ++nth) {
    const auto on_progress = [&](const RocksDBRefilterProgress&) {  // the next step reads a file's filter
      faults = {true, true, nth};
      return true;
    };
    const RocksDBRefilterReport report = RefilterRocksDB(*db, {.progress = on_progress, .dry_run = true});
    faults.armed = false;
    errors += report.status.IsMemoryLimit() ? 1 : 0;
  }
  EXPECT_GT(errors, 10);
}

TEST(RocksdbMemoryOfReaders, ExhaustedMeansNoReaderWhichRocksdbTakesAsMaybe) {
  const Policy policy = crivo_bloom();
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  std::string damaged = block;
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  for (const std::string& contents : {block, damaged}) {
    faults = {true, true, 1};
    const auto reader = new_reader(*policy, contents);
    faults.armed = false;
    EXPECT_EQ(reader, nullptr);
  }
}

TEST(RocksdbMemoryOfBuilders, ExhaustedMeansNoBuilder) {
  const Policy policy = crivo_bloom();
  const rocksdb::BlockBasedTableOptions table;
  faults = {true, true, 1};
  const auto builder = new_builder(*policy, table);
  faults.armed = false;
  EXPECT_EQ(builder, nullptr);
}

}  // namespace
}  // namespace crivo::testing
