// How users choose a key transform, and what a policy does if it does not know the transform.
#include <rocksdb/convenience.h>

#include "capture_log.h"
#include "support.h"

namespace crivo::testing {
namespace {

const bool kRegistered = RegisterKeyTransform("crivo-test.first_half", [](const rocksdb::Slice& key, std::string*) {
                           return rocksdb::Slice(key.data(), key.size() / 2);
                         }).ok();

rocksdb::Status open_status(const Policy& policy) { return try_to_open(with_policy(test_options(), policy)); }

TEST(RocksdbTransformOptions, AreTheSameInEverySpelling) {
  for (const std::string name : {"drop_suffix:8", "take_prefix:16", "lower_ascii", "crivo-test.first_half"}) {
    const std::string id = "crivo.Bloom:9.5:key_transform:" + name;
    const Policy in_code = NewRocksDBFilterPolicy({.bits_per_key = 9.5, .kind = Kind::kBlocked, .key_transform = name});
    const Policy by_position = policy_from_string(id);
    const Policy before_the_size = policy_from_string("crivo.Bloom:key_transform:" + name + ":9.5");
    const Policy in_braces = policy_from_string("{id=crivo.Bloom;key_transform=" + name + ";bits_per_key=9.5}");
    const std::string block = build_block(*new_builder(*in_code), 0, 500);
    EXPECT_THAT(block, HasSubstr(name));
    for (const Policy& policy : {in_code, by_position, before_the_size, in_braces}) {
      EXPECT_TRUE(open_status(policy).ok());
      EXPECT_EQ(policy->GetId(), id);
      EXPECT_TRUE(build_block(*new_builder(*policy), 0, 500) == block);
    }
  }
  EXPECT_EQ(policy_from_string("{id=crivo.Bloom:10:key_transform:lower_ascii;key_transform=none}")->GetId(),
            "crivo.Bloom:10");
}

TEST(RocksdbTransformOptions, ThatAreWrongAreReportedByOpen) {
  const std::string must = "key_transform must be none, drop_suffix:N or take_prefix:N with N in [1, 4294967295], ";
  for (const std::string name : {"nosuch", "drop_suffix", "drop_suffix:0", "drop_suffix:08", "drop_suffix:8x",
                                 "drop_suffix:4294967296", "lower_ascii:1", "LOWER_ASCII"}) {
    for (const Policy& policy : {NewRocksDBFilterPolicy({.kind = Kind::kBlocked, .key_transform = name}),
                                 policy_from_string("{id=crivo.Bloom;key_transform=" + name + "}")}) {
      const rocksdb::Status status = open_status(policy);
      EXPECT_TRUE(status.IsInvalidArgument());
      EXPECT_THAT(status.ToString(), HasSubstr("crivo.Bloom: " + must)) << name;
      EXPECT_THAT(status.ToString(), HasSubstr("got " + name));
    }
  }
  EXPECT_THAT(open_status(policy_from_string("crivo.Bloom:10:key_transform:nosuch")).ToString(), HasSubstr(must));
  EXPECT_THAT(open_status(policy_from_string("crivo.Bloom:10:key_transform")).ToString(), HasSubstr("got nothing"));
}

// DB::Open rejects these policies, but other callers may not check whether a policy is valid. A filter of untransformed
// keys would lose keys, while other invalid options only change its size.
TEST(RocksdbTransformOptions, AnUnknownTransformWritesNoFilter) {
  const std::string block = build_block(*new_builder(*crivo_bloom()), 0, 1000);
  const std::string builtin_block = build_block(*new_builder(*builtin_bloom()), 0, 1000);
  for (const Policy& policy :
       {NewRocksDBFilterPolicy({.key_transform = "nosuch"}),
        NewRocksDBFilterPolicy({.bits_per_key = -1, .key_transform = "lower_ascii"}),
        policy_from_string("crivo.Bloom:10:key_transform:nosuch"),
        policy_from_string("crivo.Bloom:ten:key_transform:lower_ascii"),
        policy_from_string("crivo.Blum:10:key_transform:lower_ascii"),
        policy_from_string("{id=crivo.Auto;key_transform=nosuch}"),
        policy_from_string("{id=crivo.Ribbon;key_transform=lower_ascii;bits_per_key=-1}"),
        policy_from_string("{id=crivo.Ribbon;bits_per_key=-1;key_transform=lower_ascii;fp_rate=2}")}) {
    SCOPED_TRACE(open_status(policy).ToString());
    EXPECT_FALSE(open_status(policy).ok());
    CaptureLog log;
    EXPECT_EQ(new_builder(*policy, &log), nullptr);
    EXPECT_THAT(log.take(), HasSubstr("no filter is written, because it would lose keys without the transform"));
    for (const std::string& sound : {block, builtin_block}) {
      const auto reader = new_reader(*policy, sound);
      for (std::uint64_t i = 1000; i < 2000; ++i) ASSERT_TRUE(reader->MayMatch(key_of(i)));
    }
  }
}

/// The default comparator distinguishes all keys, so any transform is valid. take_prefix:12 hardly changes the rate.
class RocksdbTransformChange : public ::testing::TestWithParam<bool> {
 protected:
  static rocksdb::Status set(rocksdb::DB& db, const std::string& name) {
    if (GetParam()) return db.SetOptions({{"table_factory.filter_policy.key_transform", name}});
    return db.SetOptions({{"block_based_table_factory", "{filter_policy={key_transform=" + name + "}}"}});
  }
  /// The number of reads that filters saved, of 1,000 absent keys between the keys of the files.
  static std::uint64_t spared(rocksdb::DB& db, const rocksdb::Options& options) {
    const std::uint64_t before = filter_useful(options);
    EXPECT_EQ(count_not_found(db, 1'000'000, 1'001'000), 1000U);
    return filter_useful(options) - before;
  }
};

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbTransformChange, ::testing::Bool(),
                         [](const auto& in_place) { return in_place.param ? "InPlace" : "InBraces"; });

// The readers of filters with the old transform are in memory, and RocksDB would continue to use them.
TEST_P(RocksdbTransformChange, WhileTheDatabaseRunsIsRefused) {
  for (const std::string before : {"none", "take_prefix:12"}) {
    const std::string id = "crivo.Bloom:12" + (before == "none" ? "" : ":key_transform:" + before);
    rocksdb::Options options = with_policy(test_options(), policy_from_string(id));
    const ScratchDatabase db(options);
    put_keys(*db, 0, 1000);
    for (const std::string other : {"take_prefix:11", "drop_suffix:1", "none", "nosuch"}) {
      if (other == before) continue;
      const rocksdb::Status refused = set(*db, other);
      if (CRIVO_ROCKSDB_VERSION < 908) {  // later versions drop the error
        EXPECT_TRUE(refused.IsInvalidArgument());
        EXPECT_THAT(refused.ToString(), HasSubstr("crivo.Bloom: key_transform must be "));
        EXPECT_THAT(refused.ToString(), HasSubstr("got " + other));
        const auto now = db->GetOptions().table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
        EXPECT_EQ(now->GetId(), id);
      }
    }
    if (CRIVO_ROCKSDB_VERSION < 908) {
      EXPECT_TRUE(set(*db, before).ok()) << "it changes nothing";
    }
    put_keys(*db, 1000, 2000);
    EXPECT_EQ(count_not_found(*db, 0, 2000), 0U);
    EXPECT_EQ(count_not_found_by_multiget(*db, 0, 2000), 0U);
    if (CRIVO_ROCKSDB_VERSION < 908) {
      EXPECT_GT(spared(*db, options), 1900U);
    }
  }
}

}  // namespace
}  // namespace crivo::testing
