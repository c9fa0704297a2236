// C and C++ make the same filter of every kind, in every form, and choose the same shard for a key.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "c_filters.h"
#include "crivo/blob.h"
#include "crivo/builder.h"
#include "crivo/sharded_builder.h"
#include "crivo/similarity.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 4'000;

std::vector<std::string> every_kind_and_option() {
  std::vector<std::string> all = every_kind();
  all.insert(all.end(), {"compressed", "spectral:4", "spectral:32", "scalable:16"});
  return all;
}

class SameAsCpp : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static FilterSpec spec(std::uint64_t capacity) {
    FilterSpec spec;
    EXPECT_TRUE(choose_kind(spec, GetParam()));
    spec.capacity = capacity;
    spec.fp_rate = 0.02;
    spec.seed = 5;
    return spec;
  }
  [[nodiscard]] static crivo_options options(std::uint64_t capacity) {
    crivo_options options = options_of(GetParam().c_str(), capacity, 0.02);
    options.seed = 5;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, SameAsCpp, ::testing::ValuesIn(every_kind_and_option()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
});

Blob cpp_blob(const FilterRef& filter, BlobForm form) {
  const auto blob = to_blob(filter, form);
  const auto* bytes = reinterpret_cast<const unsigned char*>(blob->data());
  return {bytes, bytes + blob->size()};
}

TEST_P(SameAsCpp, TheSameBytesAndAnswers) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < kKeys; ++i) hashes.push_back(hash_key(present(i), 5));
  for (const std::uint64_t capacity : {kKeys, std::uint64_t{0}, std::uint64_t{1'000'000}}) {
    auto builder = FilterBuilder::create(spec(capacity));
    for (const std::uint64_t hash : hashes) ASSERT_TRUE(builder->add_hash(hash));
    const auto cpp = builder->finish();
    const Filter c = build(options(capacity), present_keys(kKeys));
    EXPECT_EQ(blob_of(c, CRIVO_FORM_RAW), cpp_blob(cpp->ref(), BlobForm::kRaw));
    EXPECT_EQ(blob_of(c, CRIVO_FORM_AUTO), cpp_blob(cpp->ref(), BlobForm::kAuto));
    EXPECT_EQ(blob_of(c, CRIVO_FORM_SMALLEST), cpp_blob(cpp->ref(), BlobForm::kSmallest));
    EXPECT_EQ(blob_of(c, CRIVO_FORM_MAPPABLE), cpp_blob(cpp->ref(), BlobForm::kMappable));
    std::uint64_t different = 0;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      different += has(c, absent(i)) != cpp->may_contain(absent(i)) ? 1 : 0;
      different += has(c, present(i)) ? 0 : 1;
    }
    EXPECT_EQ(different, 0U);
    const crivo_stats stats = stats_of(c);
    EXPECT_EQ(stats.current_fp_rate, cpp->ref().stats().current_fp_rate);
    EXPECT_EQ(stats.bits_set, cpp->ref().stats().bits_set);
    const crivo_facts facts = facts_of(c);
    EXPECT_EQ(facts.kind, cpp->ref().kind().name);
    EXPECT_EQ(facts.units, cpp->shape().units);
    EXPECT_EQ(facts.payload_bytes, cpp->payload().size());
  }
}

TEST(SameAsCppOfShards, AManifestNamesTheFileThatHasTheKey) {
  const TempFolder folder;
  const std::string path = folder.file("f.crivo");
  auto builder = ShardedBuilder::create({.seed = 5}, 8);
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const std::uint64_t hash = hash_key(present(i), 5);
    ASSERT_TRUE(builder->add_hashes({&hash, 1}));
  }
  const Manifest expected = *builder->finish(path);
  std::ifstream file(path, std::ios::binary);
  const std::string manifest{std::istreambuf_iterator<char>(file), {}};
  const auto find = [&](const std::string& key, std::uint64_t* number, char* name) {
    crivo_error error{};
    EXPECT_EQ(crivo_find_shard(manifest.data(), manifest.size(), key.data(), key.size(), number, name, &error),
              CRIVO_OK)
        << error.message;
  };
  for (std::uint64_t i = 0; i < kKeys; i += 40) {
    std::uint64_t number = 77;
    char name[CRIVO_SHARD_NAME_BYTES];
    std::memset(name, 0x5A, sizeof name);
    find(present(i), &number, name);
    EXPECT_EQ(number, expected.shard_of(present(i)));
    EXPECT_EQ(name, expected.file_name(static_cast<std::uint32_t>(number)));
    const std::string shard = path + ".shards/" + name;
    EXPECT_TRUE(has(make(crivo_open, shard.c_str(), nullptr), present(i)));
  }
}

TEST(SameAsCppOfShards, WhatIsNoManifestIsCorrupt) {
  std::uint64_t number = 77;
  char name[CRIVO_SHARD_NAME_BYTES] = "";
  const Blob blob = blob_of(filter_of("blocked", 10));
  EXPECT_THAT(failure(CRIVO_CORRUPT, crivo_find_shard, blob.data(), blob.size(), "a", 1, &number, name),
              StartsWith("kind must be sharded (a manifest), got blocked"));
  failure(CRIVO_CORRUPT, crivo_find_shard, nullptr, 0, "a", 1, &number, name);
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_find_shard, blob.data(), blob.size(), "a", 1, nullptr, name),
              HasSubstr("number must not be NULL"));
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_find_shard, blob.data(), blob.size(), "a", 1, &number, nullptr),
              HasSubstr("name must not be NULL"));
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_find_shard, blob.data(), blob.size(), nullptr, 1, &number, name),
              HasSubstr("key must not be NULL"));
  EXPECT_EQ(number, 77U);
}

}  // namespace
}  // namespace crivo::testing
