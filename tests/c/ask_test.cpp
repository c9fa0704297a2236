// Lookups in C: one key, many keys in every layout, hashes, numbers, many threads.
#include <atomic>
#include <limits>
#include <thread>

#include "c_filters.h"

namespace crivo::testing {
namespace {

std::string padded(std::uint64_t i) {
  std::string key = std::to_string(i);
  return std::string(8 - key.size(), '0') + key;
}

// The counts are around the size of the batches in which keys are hashed.
TEST(Ask, ManyKeysAtOnceGetTheAnswersOfOneByOne) {
  for (const std::uint64_t count : {1U, 2U, 63U, 64U, 65U, 511U, 512U, 513U, 1024U, 3000U}) {
    std::string fixed;
    KeyList list;
    std::vector<std::uint64_t> hashes;
    KeyList every_other;
    for (std::uint64_t i = 0; i < count; ++i) {
      fixed += padded(i);
      list.add(padded(i));
      hashes.push_back(crivo_hash_key(padded(i).data(), 8, 3));
      if (i % 2 == 0) every_other.add(padded(i));
    }
    crivo_options options = options_of("blocked", count, 0.1);
    options.seed = 3;
    const Filter filter = build(options, every_other);
    std::vector<std::uint8_t> expected;
    for (std::uint64_t i = 0; i < count; ++i) {
      expected.push_back(has(filter, padded(i)) ? 1 : 0);
      EXPECT_EQ(crivo_contains_hash(filter.get(), hashes[i], nullptr), expected.back());
      EXPECT_TRUE(i % 2 == 1 || expected.back() == 1) << "a key that was added is found";
    }
    EXPECT_EQ(hits_of(filter, list), expected);
    std::vector<std::uint8_t> hits(count + 1, 9);
    const crivo_keys keys{fixed.data(), fixed.size(), nullptr, 8, count};
    ASSERT_EQ(crivo_contains_keys(filter.get(), &keys, hits.data(), nullptr), CRIVO_OK);
    EXPECT_EQ(hits.back(), 9) << "nothing is written behind the answers";
    hits.pop_back();
    EXPECT_EQ(hits, expected);
    std::fill(hits.begin(), hits.end(), std::uint8_t{9});
    ASSERT_EQ(crivo_contains_hashes(filter.get(), hashes.data(), count, hits.data(), nullptr), CRIVO_OK);
    EXPECT_EQ(hits, expected);
  }
}

TEST(Ask, ArraysOfNothingMayBeNull) {
  const Filter filter = filter_of("blocked", 10);
  const crivo_keys none{};
  EXPECT_EQ(crivo_contains_keys(filter.get(), &none, nullptr, nullptr), CRIVO_OK);
  EXPECT_EQ(crivo_contains_hashes(filter.get(), nullptr, 0, nullptr, nullptr), CRIVO_OK);
  // Empty keys need no bytes.
  const std::uint64_t offsets[] = {0, 0, 0};
  const crivo_keys empty{nullptr, 0, offsets, 0, 2};
  std::uint8_t hits[2] = {9, 9};
  EXPECT_EQ(crivo_contains_keys(filter.get(), &empty, hits, nullptr), CRIVO_OK);
  EXPECT_EQ(hits[0], crivo_contains(filter.get(), nullptr, 0, nullptr));
}

TEST(Ask, OtherKindsDoNotCount) {
  const Filter filter = filter_of("blocked", 10);
  std::uint64_t count = 77;
  failure(CRIVO_UNSUPPORTED, crivo_count, filter.get(), "a", 1, &count);
  EXPECT_EQ(count, 77U);
}

// Test values of the xxHash specification, because bindings compute these hashes themselves.
TEST(Ask, TheHashIsXxh3) {
  EXPECT_EQ(crivo_hash_key(nullptr, 0, 0), 0x2D06800538D394C2U);
  EXPECT_EQ(crivo_hash_key(nullptr, 5, 0), crivo_hash_key("", 0, 0)) << "a key of NULL is the empty key";
  const KeyList list = present_keys(1000);
  std::vector<std::uint64_t> hashes(list.count());
  ASSERT_EQ(crivo_hash_keys(list.keys(), 11, hashes.data(), nullptr), CRIVO_OK);
  for (std::uint64_t i = 0; i < list.count(); ++i) {
    EXPECT_EQ(hashes[i], crivo_hash_key(present(i).data(), present(i).size(), 11));
  }
}

TEST(Ask, NumbersAreTheKeysThatTheyAreEverywhere) {
  char key[CRIVO_NUMBER_KEY_BYTES];
  EXPECT_EQ(std::string(key, crivo_integer_key(std::numeric_limits<std::int64_t>::min(), key)), "-9223372036854775808");
  EXPECT_EQ(std::string(key, crivo_unsigned_key(UINT64_MAX, key)), "18446744073709551615");
  EXPECT_EQ(std::string(key, crivo_real_key(-5e-324, key)), "-5e-324");
  EXPECT_EQ(crivo_integer_key(5, nullptr) + crivo_unsigned_key(5, nullptr) + crivo_real_key(0.5, nullptr), 0U);
}

// ThreadSanitizer finds data races here.
TEST(Ask, ManyThreadsAskOneFilterEverythingWhileOthersBuildTheSame) {
  constexpr std::uint64_t kKeys = 3'000;
  const KeyList list = present_keys(kKeys);
  const crivo_keys* keys = list.keys();
  const Blob blob = blob_of(filter_of("ribbon", kKeys));
  const Filter owned = read(blob);
  const Filter borrowed = borrow(blob);
  std::atomic<int> wrong{0};
  const auto ask = [&](const crivo_filter* filter) {
    std::vector<std::uint8_t> hits(kKeys);
    wrong += crivo_contains_keys(filter, keys, hits.data(), nullptr) != CRIVO_OK ? 1 : 0;
    for (const std::uint8_t hit : hits) wrong += hit == 1 ? 0 : 1;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const std::string key = present(i);
      wrong += crivo_contains(filter, key.data(), key.size(), nullptr) == 1 ? 0 : 1;
    }
    auto facts = sized<crivo_facts>();
    wrong += crivo_get_facts(filter, &facts, nullptr) != CRIVO_OK || facts.keys != kKeys ? 1 : 0;
    auto stats = sized<crivo_stats>();
    wrong += crivo_get_stats(filter, &stats, nullptr) != CRIVO_OK || stats.bits_set == 0 ? 1 : 0;
    Blob written(crivo_blob_bound(filter));
    std::uint64_t bytes = 0;
    wrong += crivo_write(filter, CRIVO_FORM_RAW, 0, written.data(), written.size(), &bytes, nullptr) != CRIVO_OK;
    written.resize(bytes);
    wrong += written == blob ? 0 : 1;
    crivo_filter* copy = nullptr;
    wrong += crivo_copy(filter, &copy, nullptr) != CRIVO_OK;
    crivo_free(copy);
    crivo_error error{};  // each caller has its own error
    wrong += crivo_contains(nullptr, "a", 1, &error) == -CRIVO_BAD_ARGUMENT ? 0 : 1;
  };
  const auto build = [&] { wrong += blob_of(filter_of("ribbon", kKeys)) == blob ? 0 : 1; };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] { ask(owned.get()); });
    threads.emplace_back([&] { ask(borrowed.get()); });
    threads.emplace_back(build);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace crivo::testing
