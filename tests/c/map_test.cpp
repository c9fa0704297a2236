// Maps in C: built at once, from hashes and in steps; queried by every function; rejected without values.
#include <cstdio>
#include <set>

#include "c_filters.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 5000;

/// The value of a key, -1 if the key is absent, or -1 minus the status.
std::int64_t find(const Filter& map, std::string_view key) {
  std::uint64_t value = 0;
  const std::int32_t found = crivo_find(map.get(), key.data(), key.size(), &value, nullptr);
  return found == 1 ? static_cast<std::int64_t>(value) : found - 1;
}

void expect_the_values(const Filter& map, const KeyList& keys, const std::vector<std::uint64_t>& values) {
  std::vector<std::uint64_t> found_values(keys.count(), 77);
  std::vector<std::uint8_t> found(keys.count(), 9);
  crivo_error error{};
  ASSERT_EQ(crivo_find_keys(map.get(), keys.keys(), found_values.data(), found.data(), &error), CRIVO_OK)
      << error.message;
  EXPECT_EQ(found_values, values);
  EXPECT_EQ(found, std::vector<std::uint8_t>(keys.count(), 1));
  for (std::uint64_t i = 0; i < keys.count(); i += 97) EXPECT_EQ(find(map, present(i)), values[i]);
  EXPECT_EQ(testing::found(map, keys), keys.count());
}

TEST(Maps, GiveEveryKeyItsValueHoweverTheyAreMadeAndOpened) {
  const KeyList keys = present_keys(kKeys);
  const auto values = values_for(keys);
  std::vector<std::uint64_t> hashes(kKeys);
  ASSERT_EQ(crivo_hash_keys(keys.keys(), 7, hashes.data(), nullptr), CRIVO_OK);
  crivo_options options = options_of("map:16", 0, 1e-6);
  options.seed = 7;
  const Filter at_once = build(options, keys);
  const Builder builder = start(&options);
  const std::string first = present(0);
  ASSERT_EQ(crivo_builder_add_value(builder.get(), first.data(), first.size(), 0, nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_builder_add_values(builder.get(), present_keys(999, 1).keys(), values.data() + 1, nullptr), CRIVO_OK);
  ASSERT_EQ(
      crivo_builder_add_hash_values(builder.get(), hashes.data() + 1000, values.data() + 1000, kKeys - 1000, nullptr),
      CRIVO_OK);
  EXPECT_EQ(crivo_builder_keys(builder.get()), kKeys);
  const Filter in_pieces = make(crivo_builder_finish, builder.get());
  const auto blob = blob_of(at_once, CRIVO_FORM_RAW);
  EXPECT_EQ(blob, blob_of(in_pieces, CRIVO_FORM_RAW));
  EXPECT_EQ(facts_of(at_once).param, 16U);
  EXPECT_EQ(facts_of(at_once).can, std::uint32_t{CRIVO_CAN_FIND});

  const std::string path = "map_test.crivo";
  ASSERT_EQ(crivo_save(at_once.get(), path.c_str(), CRIVO_FORM_MAPPABLE, 0, nullptr), CRIVO_OK);
  const Filter all[] = {make(crivo_copy, at_once.get()),
                        make(crivo_borrow, blob.data(), std::uint64_t{blob.size()}, nullptr),
                        make(crivo_open, path.c_str(), nullptr)};
  for (const Filter& map : all) {
    expect_the_values(map, keys, values);
    std::vector<std::uint64_t> by_hash(kKeys);
    std::vector<std::uint8_t> found(kKeys);
    ASSERT_EQ(crivo_find_hashes(map.get(), hashes.data(), kKeys, by_hash.data(), found.data(), nullptr), CRIVO_OK);
    EXPECT_EQ(by_hash, values);
    std::uint64_t value = 0;
    EXPECT_EQ(crivo_find_hash(map.get(), hashes[4321], &value, nullptr), 1);
    EXPECT_EQ(value, 4321U);
  }
  std::remove(path.c_str());
}

TEST(Maps, TakeTheKindAndTheBitsThatTheyNeed) {
  const KeyList keys({"a", "b"});
  const std::uint64_t values[] = {3, 1000};
  const Filter map = make(crivo_build_map, nullptr, keys.keys(), values);
  EXPECT_STREQ(facts_of(map).kind, "map");
  EXPECT_EQ(facts_of(map).param, 10U);
  EXPECT_EQ(find(map, "b"), 1000);
  const Filter none = make(crivo_build_map, nullptr, KeyList().keys(), nullptr);
  EXPECT_EQ(find(none, "a"), -1);
}

TEST(Maps, RefuseWhatTheyCannotHold) {
  const auto refusal = [](const crivo_options& options, const KeyList& keys, const std::vector<std::uint64_t>& values) {
    crivo_filter* map = nullptr;
    crivo_error error{};
    EXPECT_NE(crivo_build_map(&options, keys.keys(), values.data(), &map, &error), CRIVO_OK);
    EXPECT_EQ(map, nullptr);
    return std::string(error.message);
  };
  EXPECT_THAT(refusal(options_of("map"), KeyList({"a", "b", "a"}), {1, 2, 3}),
              StartsWith("value must be the same for each occurrence of a key, got 1 and 3 for the key with hash "));
  EXPECT_EQ(refusal(options_of("map:4"), KeyList({"a"}), {16}), "value must be in [0, 15], got 16");
  EXPECT_THAT(refusal(options_of("ribbon"), KeyList({"a"}), {1}), StartsWith("kind must support values (map)"));
  EXPECT_THAT(refusal(options_of("ribbon"), KeyList(), {}), StartsWith("kind must support values (map)"));
}

// In a damaged file, lookups of values fail like crivo_contains. In a filter without values, they fail as in memory.
TEST(Maps, InFilesFailAsFiltersDo) {
  const std::string path = "map_test.crivo";
  const auto statuses = [&](const Filter& opened) {
    std::set<std::int32_t> found;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const std::string key = present(i);
      found.insert(crivo_find(opened.get(), key.data(), key.size(), &value, nullptr));
    }
    return found;
  };
  ASSERT_EQ(crivo_save(filter_of("blocked", 10).get(), path.c_str(), CRIVO_FORM_MAPPABLE, 0, nullptr), CRIVO_OK);
  EXPECT_EQ(statuses(make(crivo_open, path.c_str(), nullptr)), std::set<std::int32_t>{-CRIVO_UNSUPPORTED});
  ASSERT_EQ(crivo_save(filter_of("map", kKeys).get(), path.c_str(), CRIVO_FORM_MAPPABLE, 0, nullptr), CRIVO_OK);
  EXPECT_EQ(statuses(make(crivo_open, path.c_str(), nullptr)), std::set<std::int32_t>{1});
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  std::fseek(file, 64 + 4096 + 100, SEEK_SET);
  std::fputs("damage", file);
  std::fclose(file);
  EXPECT_EQ(statuses(make(crivo_open, path.c_str(), nullptr)), (std::set<std::int32_t>{1, -CRIVO_CORRUPT}));
  std::remove(path.c_str());
}

TEST(Maps, NeedAValueForEachKey) {
  const KeyList keys({"a"});
  const crivo_options options = options_of("map", 10);
  for (const std::uint64_t max_memory : {UINT64_C(0), UINT64_C(16) << 20}) {
    crivo_options with_limit = options;
    with_limit.max_memory = max_memory;
    crivo_filter* map = nullptr;
    crivo_error error{};
    EXPECT_EQ(crivo_build(&with_limit, keys.keys(), &map, &error), CRIVO_UNSUPPORTED);
    EXPECT_EQ(std::string(error.message),
              "kind must have keys without values, got map, which needs a value for each key");
  }
  const Builder builder = start(&options);
  EXPECT_EQ(crivo_builder_add(builder.get(), "a", 1, nullptr), CRIVO_UNSUPPORTED);
  EXPECT_EQ(crivo_builder_keys(builder.get()), 0U);
}

TEST(Maps, OtherKindsHaveNoValues) {
  const Filter ribbon = filter_of("ribbon", 10);
  std::uint64_t value = 77;
  crivo_error error{};
  EXPECT_EQ(crivo_find(ribbon.get(), "a", 1, &value, &error), -CRIVO_UNSUPPORTED);
  EXPECT_EQ(std::string(error.message), "kind must support finding values (map), got ribbon");
  EXPECT_EQ(value, 77U);
  for (const std::uint64_t keys : {0U, 1U}) {
    std::uint8_t found = 0;
    EXPECT_EQ(crivo_find_keys(ribbon.get(), present_keys(keys).keys(), &value, &found, nullptr), CRIVO_UNSUPPORTED);
    EXPECT_EQ(crivo_find_hashes(ribbon.get(), &value, keys, &value, &found, nullptr), CRIVO_UNSUPPORTED);
  }
  const Filter map = filter_of("map", 10);
  EXPECT_EQ(crivo_find_keys(map.get(), KeyList().keys(), nullptr, nullptr, nullptr), CRIVO_OK);
  EXPECT_EQ(crivo_find(map.get(), "nobody", 6, &value, &error), 0);
  EXPECT_EQ(value, 77U);
  EXPECT_EQ(crivo_find(map.get(), "a", 1, nullptr, nullptr), -CRIVO_BAD_ARGUMENT);
  EXPECT_EQ(crivo_find(nullptr, "a", 1, &value, nullptr), -CRIVO_BAD_ARGUMENT);
}

}  // namespace
}  // namespace crivo::testing
