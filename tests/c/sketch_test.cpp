// Sketches in C: made by every function, stored, and compared.
#include <tuple>

#include "c_filters.h"

namespace crivo::testing {
namespace {

/// The keys of one side as numbers.
std::vector<std::uint64_t> numbers_of(const DifferenceHandle& difference, int side) {
  const std::uint64_t* numbers = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(crivo_difference_numbers(difference.get(), side, &numbers, &count, nullptr), CRIVO_OK);
  return {numbers, numbers + count};
}

std::vector<std::string> strings_of(const DifferenceHandle& difference, int side) {
  crivo_keys keys{};
  EXPECT_EQ(crivo_difference_keys(difference.get(), side, &keys, nullptr), CRIVO_OK);
  EXPECT_EQ(keys.bytes_size, keys.count * keys.width);
  std::vector<std::string> strings;
  for (std::uint64_t i = 0; i < keys.count; ++i) {
    strings.emplace_back(static_cast<const char*>(keys.bytes) + i * keys.width, keys.width);
  }
  return strings;
}

TEST(SketchesInC, GiveTheKeysOfEachSide) {
  auto options = sketch_options_of(60, "bytes:3");
  const auto first = make<crivo_sketch>(crivo_sketch_create, &options);
  const auto second = make<crivo_sketch>(crivo_sketch_create, &options);
  ASSERT_EQ(crivo_sketch_add_keys(first.get(), KeyList({"ann", "bob", "cid"}).keys(), nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_sketch_add_keys(second.get(), KeyList({"bob", "dan", "eve"}).keys(), nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_sketch_remove(second.get(), "eve", 3, nullptr), CRIVO_OK);
  const auto difference = make<crivo_difference>(crivo_find_difference, first.get(), second.get());
  EXPECT_EQ(strings_of(difference, 0), (std::vector<std::string>{"ann", "cid"}));
  EXPECT_EQ(strings_of(difference, 1), (std::vector<std::string>{"dan"}));
  const std::uint64_t* numbers = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(failure(CRIVO_UNSUPPORTED, crivo_difference_numbers, difference.get(), 0, &numbers, &count),
            "keys must be hashes or integers, got byte strings");
  const auto nothing = make<crivo_difference>(crivo_find_difference, first.get(), first.get());
  failure(CRIVO_UNSUPPORTED, crivo_difference_numbers, nothing.get(), 0, &numbers, &count);
  EXPECT_TRUE(strings_of(nothing, 0).empty() && strings_of(nothing, 1).empty());
}

TEST(SketchesInC, AreTheSameByKeysAndByHashes) {
  auto options = sketch_options_of(100);
  options.seed = 9;
  const KeyList keys = present_keys(1000);
  std::vector<std::uint64_t> hashes(keys.count());
  ASSERT_EQ(crivo_hash_keys(keys.keys(), 9, hashes.data(), nullptr), CRIVO_OK);
  const auto by_key = make<crivo_sketch>(crivo_sketch_create, &options);
  ASSERT_EQ(crivo_sketch_add_keys(by_key.get(), keys.keys(), nullptr), CRIVO_OK);
  const auto by_hash = make<crivo_sketch>(crivo_sketch_create, &options);
  ASSERT_EQ(crivo_sketch_add_numbers(by_hash.get(), hashes.data(), 600, nullptr), CRIVO_OK);
  const auto rest = make<crivo_sketch>(crivo_sketch_create, &options);
  ASSERT_EQ(crivo_sketch_add_numbers(rest.get(), hashes.data() + 500, 500, nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_sketch_remove_numbers(rest.get(), hashes.data() + 500, 100, nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_sketch_combine(by_hash.get(), rest.get(), nullptr), CRIVO_OK);
  EXPECT_EQ(blob_of(by_key), blob_of(by_hash));

  auto facts = sized<crivo_sketch_facts>();
  ASSERT_EQ(crivo_sketch_get_facts(by_hash.get(), &facts, nullptr), CRIVO_OK);
  EXPECT_EQ(std::tie(facts.symbols, facts.first, facts.seed, facts.keys, facts.key_type, facts.key_bytes),
            std::tuple(100U, 0U, 9U, 1000U, 0U, 8U));

  ASSERT_EQ(crivo_sketch_remove_keys(by_key.get(), present_keys(3).keys(), nullptr), CRIVO_OK);
  const std::string added = absent(1);
  ASSERT_EQ(crivo_sketch_add(by_key.get(), added.data(), added.size(), nullptr), CRIVO_OK);
  const auto blob = blob_of(by_key);
  const auto read = make<crivo_sketch>(crivo_sketch_read, blob.data(), std::uint64_t{blob.size()}, nullptr);
  const auto difference = make<crivo_difference>(crivo_find_difference, read.get(), by_hash.get());
  EXPECT_EQ(numbers_of(difference, 0), (std::vector<std::uint64_t>{crivo_hash_key(added.data(), added.size(), 9)}));
  std::vector<std::uint64_t> gone(hashes.begin(), hashes.begin() + 3);
  std::ranges::sort(gone);
  EXPECT_EQ(numbers_of(difference, 1), gone);
}

TEST(SketchesInC, SayNotYetAndContinue) {
  std::vector<std::uint64_t> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 1);
  const auto made = [&](std::uint64_t first, std::uint64_t symbols) {
    auto options = sketch_options_of(symbols, "integers");
    options.first = first;
    auto sketch = make<crivo_sketch>(crivo_sketch_create, &options);
    EXPECT_EQ(crivo_sketch_add_numbers(sketch.get(), numbers.data(), numbers.size(), nullptr), CRIVO_OK);
    return sketch;
  };
  auto options = sketch_options_of(crivo_sketch_symbols(50), "integers");
  const auto nobody = make<crivo_sketch>(crivo_sketch_create, &options);
  const auto sketch = made(0, 20);
  EXPECT_EQ(make<crivo_difference>(crivo_find_difference, sketch.get(), nobody.get()), nullptr);
  ASSERT_EQ(crivo_sketch_append(sketch.get(), made(20, crivo_sketch_symbols(50) - 20).get(), nullptr), CRIVO_OK);
  EXPECT_EQ(numbers_of(make<crivo_difference>(crivo_find_difference, sketch.get(), nobody.get()), 0), numbers);
}

TEST(SketchesInC, RefuseWhatCannotBe) {
  crivo_sketch* made = nullptr;
  auto options = sketch_options_of(0);
  EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, crivo_sketch_create, &options, &made),
            "symbols must be in [1, 4294967296], got 0");
  options = sketch_options_of(10, "words");
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_sketch_create, &options, &made), StartsWith("keys must be hashes, "));
  options = sketch_options_of(10);
  options.size = 3;
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_sketch_create, &options, &made), StartsWith("options.size must be "));
  options = sketch_options_of(100);
  options.max_bytes = 1607;
  failure(CRIVO_TOO_LARGE, crivo_sketch_create, &options, &made);
  EXPECT_EQ(made, nullptr);
  options = sketch_options_of(1, "integers");
  const auto integers = make<crivo_sketch>(crivo_sketch_create, &options);
  EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, crivo_sketch_add, integers.get(), "1", 1),
            "key must be an integer, got a byte string");
  options = sketch_options_of(1);
  const auto hashes = make<crivo_sketch>(crivo_sketch_create, &options);
  crivo_difference* difference = nullptr;
  EXPECT_EQ(failure(CRIVO_INCOMPATIBLE, crivo_find_difference, integers.get(), hashes.get(), &difference),
            "keys must be the same in both sketches, got integers and hashes");
  unsigned char room[8];
  EXPECT_EQ(failure(CRIVO_TOO_LARGE, crivo_sketch_write, hashes.get(), room, 8),
            "buffer_bytes must be at least 88, got 8");
  EXPECT_THAT(failure(CRIVO_CORRUPT, crivo_sketch_read, room, 8, nullptr, &made), StartsWith("blob size must be "));
  const auto none = make<crivo_difference>(crivo_find_difference, hashes.get(), hashes.get());
  crivo_keys keys{};
  EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, crivo_difference_keys, none.get(), 2, &keys), "side must be 0 or 1, got 2");
}

}  // namespace
}  // namespace crivo::testing
