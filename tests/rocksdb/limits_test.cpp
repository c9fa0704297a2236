// Builders that come up against max_build_bytes, max_filter_bytes, or a disk that fails: there is always a filter or
// one that lets every key pass, every key is found, and LOG says what happened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "builder/builder.h"
#include "capture_log.h"
#include "crivo/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::size_t kChunk = BuildMemory::kChunkBytes;

BlockSizing sizing_of(Kind kind) { return BlockSizing({.kind = kind, .bits_per_key = 10, .fp_rate = 0.0096}); }

/// Eight bytes, because the long test needs many.
std::string short_key(std::uint64_t number) {
  const std::uint64_t mixed = number * 0x9e3779b97f4a7c15;
  return {reinterpret_cast<const char*>(&mixed), sizeof mixed};
}

std::string build(abi::FilterBitsBuilder& builder, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) builder.AddKey(short_key(i));
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const std::string block = builder.Finish(&buffer, &status).ToString();
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder.MaybePostVerify(block).ok() || block.size() == 6);
  return block;
}

FilterRef opened(const std::string& block) {
  const auto filter = open_sst_block(std::as_bytes(std::span(block)));
  EXPECT_TRUE(filter) << "a block of " << block.size() << " bytes";
  return *filter;
}

std::uint64_t count_missing(const std::string& block, std::uint64_t begin, std::uint64_t end, std::uint64_t step = 1) {
  const FilterRef filter = opened(block);
  std::uint64_t missing = 0;
  for (std::uint64_t i = begin; i < end; i += step) missing += !filter.may_contain(short_key(i));
  return missing;
}

class EveryKindWithinLimits : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Rocksdb, EveryKindWithinLimits, ::testing::Values(Kind::kBlocked, Kind::kRibbon),
                         [](const auto& param_info) { return std::string(kind_name(param_info.param)); });

TEST_P(EveryKindWithinLimits, IsBlockedWithEveryKeyWhereTheHashesGoToAFile) {
  constexpr std::uint64_t kKeys = 700'000;
  for (const bool verify : {false, true}) {
    BuildMemory memory;
    BlockBuilder free(sizing_of(Kind::kBlocked), verify, nullptr, nullptr, {.memory = &memory});
    const std::string expected = build(free, 0, kKeys);
    (void)memory.take_peak();
    constexpr std::size_t kLimit = 4 * kChunk;  // half of it for the hashes, which would take 5.6 MB
    BlockBuilder builder(sizing_of(GetParam()), verify, nullptr, nullptr,
                         {.max_build_bytes = kLimit, .memory = &memory});
    EXPECT_EQ(build(builder, 0, kKeys), expected) << "the filter of the same keys without a limit";
    BlockBuilder fresh(sizing_of(GetParam()), verify, nullptr, nullptr, {.memory = &memory});
    EXPECT_EQ(build(builder, 0, 100), build(fresh, 0, 100)) << "nothing is left of the file";
  }
}

TEST_P(EveryKindWithinLimits, StaysBelowTheBound) {
  constexpr std::size_t kLimit = 4 * kChunk;
  BuildMemory memory;
  {
    BlockBuilder builder(sizing_of(GetParam()), /*verify=*/false, nullptr, nullptr,
                         {.max_build_bytes = kLimit, .memory = &memory});
    for (const std::uint64_t keys : {100'000, 3'000'000, 10, 1'000'000}) build(builder, 0, keys);
  }
  EXPECT_LE(memory.take_peak(), kLimit);
  EXPECT_GT(kLimit, 3'000'000 * 10 / 8) << "the filter alone fits";
  EXPECT_EQ(memory.held(), 0U);
}

TEST(BuildersAtTheLimit, WriteBlockedFiltersInsteadOfRibbons) {
  constexpr std::uint64_t kKeys = 1'000'000;
  constexpr std::size_t kHashes = 4 * kChunk;
  constexpr std::size_t kTemporary = 1'290'000;  // the least for a ribbon: banding and bumped keys
  constexpr std::size_t kLimit = 10 * kChunk;
  BuildMemory memory;
  // With 30 bits per key the ribbon itself takes more than its temporary memory, and both must be counted.
  const BlockSizing sizing({.kind = Kind::kRibbon, .bits_per_key = 45, .fp_rate = 1e-9});
  BlockBuilder ribbons(sizing, /*verify=*/false, nullptr, nullptr, {.max_build_bytes = kLimit, .memory = &memory});
  // Others take more and more, until the hashes, the ribbon and its temporary memory do not fit together.
  int blocked = 0;
  for (std::size_t others = 3 * kChunk; others <= 5 * kChunk; others += kChunk / 6) {
    for (std::uint64_t i = 0; i < kKeys; ++i) ribbons.AddKey(short_key(i));
    const CountedBytes counted(memory, others, BuildMemory::kNoLimit);
    const std::string block = build(ribbons, 0, 0);
    ASSERT_EQ(count_missing(block, 0, kKeys, 3), 0U) << others;
    if (opened(block).shape().kind == Kind::kBlocked) {
      ++blocked;
    } else {
      EXPECT_LE(others + kHashes + kTemporary + block.size(), kLimit);
    }
  }
  EXPECT_GT(blocked, 0);
  EXPECT_LT(blocked, 12) << "at first there was room";
}

TEST(BuildersInThreads, StayBelowTheBoundTogetherAndLoseNoKey) {
  constexpr std::size_t kLimit = 8 * kChunk;
  BuildMemory memory(4);
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&memory, thread] {
      BlockBuilder builder(sizing_of(thread % 2 == 0 ? Kind::kRibbon : Kind::kBlocked), /*verify=*/thread % 3 == 0,
                           nullptr, nullptr, {.max_build_bytes = kLimit, .memory = &memory});
      for (std::uint64_t round = 0; round < 3; ++round) {
        const std::uint64_t begin = (thread * 3 + round) << 32;
        const std::uint64_t end = begin + 20'000 + 100'000 * round;
        EXPECT_EQ(count_missing(build(builder, begin, end), begin, end), 0U);
      }
    });
  }
  threads.clear();
  EXPECT_LE(memory.take_peak(), kLimit);
  EXPECT_EQ(memory.held(), 0U);
}

TEST(BuildersInThreads, LongEightOfTenMillionKeysStayBelowTheBound) {
  constexpr std::uint64_t kKeys = 10'000'000;
  constexpr std::size_t kLimit = 256'000'000;  // eight filters take 100 MB, and their hashes 640 MB
  BuildMemory memory;
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&memory, thread] {
      BlockBuilder builder(sizing_of(Kind::kRibbon), /*verify=*/false, nullptr, nullptr,
                           {.max_build_bytes = kLimit, .memory = &memory});
      const std::uint64_t begin = thread << 32;
      EXPECT_EQ(count_missing(build(builder, begin, begin + kKeys), begin, begin + kKeys, 7), 0U);
    });
  }
  threads.clear();
  const std::size_t peak = memory.take_peak();
  EXPECT_LE(peak, kLimit);
  EXPECT_GT(peak, kLimit / 4) << "what is there is used";
}

/// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
};

/// Lets no file grow beyond some bytes, for as long as it lives: a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// A builder whose hashes go to a file in a folder of its own, and its log.
class FailingFile : public ::testing::TestWithParam<Kind> {
 protected:
  static constexpr std::uint64_t kKeys = 300'000;

  void expect_no_filter(const std::string& block, const std::string& why) {
    EXPECT_EQ(block.size(), 6U) << "every key passes";
    EXPECT_TRUE(new_reader(*crivo_bloom(), block)->MayMatch("key"));
    const std::string log = log_.take();
    EXPECT_NE(log.find("lets every key pass"), std::string::npos) << log;
    EXPECT_NE(log.find(why), std::string::npos) << log;
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  }
  void expect_filters_again() {
    EXPECT_EQ(count_missing(build(builder_, 0, kKeys), 0, kKeys), 0U);
    EXPECT_EQ(log_.take(), "");
  }
  /// The temporary file of the builder, found among the descriptors of this process.
  [[nodiscard]] int descriptor() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const auto target = std::filesystem::read_symlink(entry, gone).string();
      if (!gone && target.starts_with(folder_.path())) return std::stoi(entry.path().filename());
    }
    return -1;
  }

  ScratchFolder folder_;
  Environment tmpdir_{"TMPDIR", folder_.path()};
  BuildMemory memory_;
  CaptureLog log_;
  BlockBuilder builder_{sizing_of(GetParam()),
                        /*verify=*/false,
                        nullptr,
                        nullptr,
                        {.max_build_bytes = kChunk, .memory = &memory_, .log = &log_}};
};
INSTANTIATE_TEST_SUITE_P(Rocksdb, FailingFile, ::testing::Values(Kind::kBlocked, Kind::kRibbon),
                         [](const auto& param_info) { return std::string(kind_name(param_info.param)); });

TEST_P(FailingFile, HasNoNameAndIsGoneAfterwards) {
  for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  EXPECT_NE(descriptor(), -1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  std::unique_ptr<const char[]> buffer;
  EXPECT_GT(builder_.Finish(&buffer).size(), kKeys);
  EXPECT_EQ(descriptor(), -1);
}

TEST_P(FailingFile, OnAFullDiskMeansEveryKeyPasses) {
  std::string block;
  {
    const FullDisk disk(1 << 20);
    block = build(builder_, 0, kKeys);
  }
  expect_no_filter(block, "File too large");
  expect_filters_again();
}

TEST_P(FailingFile, ThatCannotBeMadeMeansEveryKeyPasses) {
  {
    const Environment nowhere("TMPDIR", "/proc");
    expect_no_filter(build(builder_, 0, kKeys), "temporary file in /proc");
  }
  expect_filters_again();
}

TEST_P(FailingFile, WithOtherBytesThanWereWrittenMeansEveryKeyPasses) {
  for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  for (const off_t offset : {off_t{0}, off_t{65536 * 5 + 77}}) {
    unsigned char byte = 0;
    ASSERT_EQ(pread(descriptor(), &byte, 1, offset), 1);
    byte ^= 4;
    ASSERT_EQ(pwrite(descriptor(), &byte, 1, offset), 1);
    expect_no_filter(build(builder_, 0, 0), "Input/output error");
    for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  }
  ASSERT_EQ(ftruncate(descriptor(), 1'000'000), 0);
  expect_no_filter(build(builder_, 0, 0), "Input/output error");
  expect_filters_again();
}

TEST_P(EveryKindWithinLimits, OfBytesPerFileHasAFilterOfAHigherRate) {
  constexpr std::uint64_t kKeys = 100'000;
  for (const std::size_t most : {100'000, 50'000, 20'000, 5'000, 500, 96, 1}) {
    CaptureLog log;
    BuildMemory memory;
    BlockBuilder builder(sizing_of(GetParam()), /*verify=*/false, nullptr, nullptr,
                         {.max_filter_bytes = most, .memory = &memory, .log = &log, .level = 3});
    const std::string block = build(builder, 0, kKeys);
    EXPECT_LE(block.size(), std::max<std::size_t>(most, 96)) << "but never none";
    EXPECT_EQ(count_missing(block, 0, kKeys), 0U);
    const std::string line = log.take();
    if (GetParam() == Kind::kRibbon && most == 100'000) {
      EXPECT_EQ(line, "") << "it has room for a ribbon of this many keys";
      continue;
    }
    EXPECT_GT(block.size(), most * 9 / 10) << "what there is must be used";
    EXPECT_NE(line.find("max_filter_bytes is " + std::to_string(most)), std::string::npos) << line;
    EXPECT_NE(line.find("at level 3 the filter of 100000 keys"), std::string::npos) << line;
    EXPECT_NE(line.find("has " + std::to_string(block.size()) + " bytes"), std::string::npos) << line;
  }
}

TEST_P(EveryKindWithinLimits, OfBytesPerFileHoldsForTheSumOfPartitions) {
  constexpr std::uint64_t kParts = 100;
  constexpr std::uint64_t kKeys = 3000;  // 3,800 bytes at 10 bits per key, 2,600 as a ribbon
  constexpr std::size_t kMost = 100'000;
  CaptureLog log;
  BuildMemory memory;
  BlockBuilder builder(sizing_of(GetParam()), /*verify=*/false, nullptr, nullptr,
                       {.max_filter_bytes = kMost, .memory = &memory, .log = &log});
  std::vector<std::size_t> sizes;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    const std::uint64_t begin = part * kKeys;
    const std::string block = build(builder, begin, begin + kKeys);
    EXPECT_EQ(count_missing(block, begin, begin + kKeys), 0U);
    sizes.push_back(block.size());
  }
  constexpr std::size_t kLeast = 96;  // which a partition gets even beyond the limit
  std::size_t sum = 0;
  for (const std::size_t size : sizes) sum += size == kLeast ? 0 : size;
  EXPECT_LE(sum, kMost);
  EXPECT_GT(sum, kMost * 8 / 10);
  EXPECT_GE(sizes.back(), kLeast) << "every partition has a filter";
  EXPECT_GT(sizes[40], 2 * kLeast) << "the first ones, which would take it all, have left something";
  EXPECT_LT(sizes.back(), sizes.front() / 2) << "and the last ones have the fewest bits";
  const std::string line = log.take();
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << "one line for a file: " << line;
}

TEST(Limits, AreKeptByADatabase) {
  const ScratchFolder folder;
  for (const std::string name : {"crivo.Bloom", "crivo.Auto"}) {
    auto options = with_policy(test_options(), policy_from_string("{id=" + name + ";max_filter_bytes=8000}"));
    const auto log = std::make_shared<CaptureLog>();
    options.info_log = log;
    const auto db = open_database(options, folder.path(name));
    put_keys(*db, 0, 20'000);
    EXPECT_EQ(count_not_found(*db, 0, 20'000), 0U);
    std::size_t bytes = 0;
    for (const std::string& file : sst_files(folder.path(name))) {
      for (const Extent& block : filter_blocks(read_bytes(file))) bytes += block.size;
    }
    EXPECT_LE(bytes, 8000U);
    EXPECT_GT(bytes, 7000U);
    const std::string lines = log->take();
    EXPECT_NE(lines.find("max_filter_bytes is 8000, so at level 0 the filter of 20000 keys"), std::string::npos)
        << name;
  }
}

TEST(Limits, TurnTheRibbonsOfADatabaseIntoBlockedFilters) {
  const ScratchFolder folder;
  const auto kind = [&](const std::string& limit) {
    const std::string path = folder.path(limit);
    const auto options = with_policy(
        test_options(), policy_from_string("{id=crivo.Ribbon;bloom_before_level=-1;max_build_bytes=" + limit + "}"));
    const auto db = open_database(options, path);
    put_keys(*db, 0, 20'000);
    expect_filters_at_work(*db, options, 20'000, "crivo.Ribbon");
    const auto files = sst_files(path);
    return filter_blocks(read_bytes(files.front())).front().kind;
  };
  EXPECT_EQ(kind("0"), Kind::kRibbon) << "no limit";
  EXPECT_EQ(kind("100000000"), Kind::kRibbon);
  EXPECT_EQ(kind("300000"), Kind::kBlocked);
}

}  // namespace
}  // namespace crivo::testing
