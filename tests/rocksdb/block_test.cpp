// Builders and readers by themselves, called through their vtables as RocksDB calls them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "crivo/sizing.h"
#include "crivo/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

TEST(RocksdbBuilder, BuildsOneBlockAfterAnother) {
  const Policy policy = crivo_policy();
  const auto builder = new_builder(*policy);
  for (std::uint64_t first : {0, 5000, 7000, 7001}) {
    const std::string block = build_block(*builder, first, first + 3000);
    EXPECT_EQ(block, build_block(*new_builder(*policy), first, first + 3000)) << "a fresh builder gives the same block";
    const auto reader = new_reader(*policy, block);
    for (std::uint64_t i = first; i < first + 3000; ++i) ASSERT_TRUE(reader->MayMatch(key_of(i)));
  }
}

TEST(RocksdbBuilder, CountsItsEntries) {
  const auto builder = new_builder(*crivo_policy());
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0U);
  for (const char* key : {"a", "a", "a", "b", "", "", "b"}) builder->AddKey(key);
  EXPECT_EQ(builder->EstimateEntriesAdded(), 4U) << "equal neighbours are one entry";
  std::unique_ptr<const char[]> buffer;
  const rocksdb::Slice content = builder->Finish(&buffer);
  EXPECT_EQ(content.size(), 64 + kSstTrailerBytes);
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0U);
  builder->AddKey("b");
  EXPECT_EQ(builder->EstimateEntriesAdded(), 1U) << "the last key of the block before must not swallow this one";
}

TEST(RocksdbBuilder, OfNoKeysFindsNothing) {
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 0);
  EXPECT_EQ(block.size(), 64 + kSstTrailerBytes);
  EXPECT_FALSE(new_reader(*policy, block)->MayMatch("key"));
  EXPECT_TRUE(new_reader(*builtin_bloom(), block)->MayMatch("key")) << "RocksDB's own reader must say maybe";
}

TEST(RocksdbBuilder, PredictsItsSizes) {
  for (const double bits_per_key : {0.5, 3.3, 10.0, 16.0, 700.0}) {
    const auto builder = new_builder(*crivo_policy(bits_per_key));
    for (const std::uint64_t keys : {1, 2, 51, 52, 100, 1000, 4999}) {
      const std::size_t size = build_block(*builder, 0, keys).size();
      EXPECT_EQ(builder->CalculateSpace(keys), size) << keys << " keys at " << bits_per_key;
      EXPECT_GE(builder->ApproximateNumEntries(size), keys) << keys << " keys at " << bits_per_key;
    }
    for (std::size_t bytes = 0; bytes < 20000; bytes += 7) {
      const std::size_t keys = builder->ApproximateNumEntries(bytes);
      if (keys > 0) {
        EXPECT_LE(builder->CalculateSpace(keys), bytes) << bytes << " bytes at " << bits_per_key;
      }
      EXPECT_GT(builder->CalculateSpace(keys + 1), bytes) << bytes << " bytes at " << bits_per_key;
    }
  }
}

TEST(RocksdbBuilder, PredictsItsFalsePositiveRate) {
  const auto builder = new_builder(*crivo_policy(10));
  EXPECT_DOUBLE_EQ(builder->EstimatedFpRate(5120, 100 * 64 + 32), blocked_fp_rate(100, 5120, best_blocked_probes(10)));
  EXPECT_EQ(builder->EstimatedFpRate(0, 96), 0);
  EXPECT_EQ(builder->EstimatedFpRate(10, 6), 1);
}

TEST(RocksdbBuilder, SizesBeyondWhatRocksdbCanKeepAreCapped) {
  const auto builder = new_builder(*crivo_policy(1000));
  EXPECT_LE(builder->CalculateSpace(std::size_t{1} << 40), std::size_t{0xffff'ffff});
  EXPECT_GT(builder->CalculateSpace(std::size_t{1} << 40), std::size_t{0xffff'0000});
}

TEST(RocksdbBuilder, DetectsBlocksThatChangeBeforeTheyAreWritten) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  const Policy policy = crivo_policy();
  const auto careful = new_builder(*policy, table);
  std::string block = build_block(*careful, 0, 2000);
  EXPECT_TRUE(careful->MaybePostVerify(block).ok());

  block = build_block(*careful, 0, 2000);
  block[100] = static_cast<char>(block[100] ^ 1);
  EXPECT_TRUE(careful->MaybePostVerify(block).IsCorruption());

  (void)build_block(*careful, 0, 2000);
  EXPECT_TRUE(careful->MaybePostVerify(build_block(*new_builder(*policy), 5000, 7000)).IsCorruption())
      << "a sound block of other keys";

  const auto trusting = new_builder(*policy);
  (void)build_block(*trusting, 0, 2000);
  EXPECT_TRUE(trusting->MaybePostVerify("garbage").ok()) << "only on request";
}

TEST(RocksdbReader, AnswersBatchesOfAnySize) {
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  const auto reader = new_reader(*policy, block);
  for (int count = 0; count <= 100; ++count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i)
      keys.push_back(key_of(static_cast<std::uint64_t>(i) * 37 % 2000));  // half of them present
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::Slice*> pointers;
    for (auto& slice : slices) pointers.push_back(&slice);
    // One answer too many must stay as it was.
    for (const bool garbage : {false, true}) {
      std::array<bool, 101> answers;
      answers.fill(garbage);
      reader->MayMatch(count, pointers.data(), answers.data());
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(answers[at], reader->MayMatch(slices[at])) << i << " of " << count;
      }
      EXPECT_EQ(answers[static_cast<std::size_t>(count)], garbage);
    }
  }
}

TEST(RocksdbReader, NeedsNoAlignmentAndNoPadding) {
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  for (std::size_t shift = 0; shift < 64; ++shift) {
    // A heap block that ends with the contents: a sanitizer sees a read past them.
    const std::unique_ptr<char[]> memory(new char[shift + block.size()]);
    std::memcpy(memory.get() + shift, block.data(), block.size());
    const auto reader = new_reader(*policy, {memory.get() + shift, block.size()});
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) found += reader->MayMatch(key_of(i));
    EXPECT_GE(found, 1000U);
    EXPECT_LT(found, 1100U) << "must filter at any address, not give up";
  }
}

bool loses_a_key(const rocksdb::FilterPolicy& policy, const rocksdb::Slice& block, std::uint64_t keys) {
  const auto reader = new_reader(policy, block);
  for (std::uint64_t i = 0; i < keys; ++i) {
    if (!reader->MayMatch(key_of(i))) return true;
  }
  return false;
}

TEST(RocksdbReader, LosesNoKeyToAnyFlippedBit) {
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 60);
  for (std::size_t bit = 0; bit < block.size() * 8; ++bit) {
    std::string damaged = block;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ASSERT_FALSE(loses_a_key(*policy, damaged, 60)) << "bit " << bit;
  }
}

TEST(RocksdbReader, LosesNoKeyToAnyTruncation) {
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 200);
  for (std::size_t size = 1; size < block.size(); ++size) {
    ASSERT_FALSE(loses_a_key(*policy, {block.data(), size}, 200)) << "first " << size;
    ASSERT_FALSE(loses_a_key(*policy, {block.data() + block.size() - size, size}, 200)) << "last " << size;
  }
}

TEST(RocksdbReader, LosesNoKeyToAnOverwrittenTrailer) {
  // The last five bytes decide who reads a block. Whatever stands there, a damaged block of ours must not be read as
  // one of the built-in kinds, which have no checksum of their own: all markers, with the bytes that would make each
  // of them look sound (Bloom -1: 0, k, 0, 0; Ribbon -2: seed, blocks; legacy: k, number of 64-byte lines).
  const Policy policy = crivo_policy();
  const std::string block = build_block(*new_builder(*policy), 0, 200);
  const auto lines = static_cast<char>((block.size() - 5) / 64);
  std::mt19937_64 random(1);
  for (int marker = -128; marker < 128; ++marker) {
    for (const auto& rest :
         {std::array<char, 4>{0, 6, 0, 0}, {7, 3, 0, 0}, {lines, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}) {
      std::string damaged = block;
      for (std::size_t i = 0; i < 100; ++i) damaged[i] = static_cast<char>(random());
      damaged[damaged.size() - 5] = static_cast<char>(marker);
      std::copy(rest.begin(), rest.end(), damaged.end() - 4);
      ASSERT_FALSE(loses_a_key(*policy, damaged, 200)) << "marker " << marker;
    }
  }
}

TEST(RocksdbReader, SaysMaybeToWhatIsNoFilter) {
  const Policy policy = crivo_policy();
  std::mt19937_64 random(2);
  for (std::size_t size = 0; size <= 5; ++size) {
    std::string noise(size, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    EXPECT_TRUE(new_reader(*policy, noise)->MayMatch("key")) << size << " bytes";
  }
}

}  // namespace
}  // namespace crivo::testing
