// Option changes in an open database: what SetOptions changes, what it rejects, and which builders use the change.
#include <rocksdb/convenience.h>

#include <atomic>
#include <functional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 6400;  // per file
constexpr std::uint64_t bloom_bytes(std::uint64_t bits_per_key) { return kKeys * bits_per_key / 8 + 32; }

// From 9.8, SetOptions with "block_based_table_factory" makes a new table factory and a new policy for the column
// family. Earlier versions change the policy in place, as "table_factory.filter_policy.<option>" does in all versions.
constexpr bool kReplacesThePolicy = CRIVO_ROCKSDB_VERSION >= 908;
// From 9.8, RocksDB also ignores a policy's error for an option, and SetOptions returns OK
// (BlockBasedTableFactory::ParseOption ignores all errors of options that are compared by name).
constexpr bool kReportsErrors = CRIVO_ROCKSDB_VERSION < 908;

/// The two spellings of a change, each with an option's name and value.
rocksdb::Status set_in_place(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& option) {
  const std::size_t equals = option.find('=');
  return db.SetOptions(family,
                       {{"table_factory.filter_policy." + option.substr(0, equals), option.substr(equals + 1)}});
}
rocksdb::Status set_in_braces(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& option) {
  return db.SetOptions(family, {{"block_based_table_factory", "{filter_policy={" + option + "}}"}});
}

struct Spelling {
  std::string name;
  std::function<rocksdb::Status(rocksdb::DB&, rocksdb::ColumnFamilyHandle*, const std::string&)> set;
};
void PrintTo(const Spelling& spelling, std::ostream* out) { *out << spelling.name; }

/// A database with two column families that share one policy.
class EverySpelling : public ::testing::TestWithParam<Spelling> {
 protected:
  void open(const Policy& policy) {
    rocksdb::Options options = with_policy(test_options(), policy);
    options.create_missing_column_families = true;
    db_ = open_database(options, folder_.path(), {{"default", options}, {"other", options}}, &families_);
  }
  void TearDown() override {
    for (auto* family : families_) ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
  }

  rocksdb::Status set(const std::string& option) { return GetParam().set(*db_, families_[0], option); }
  std::uint64_t filter_bytes_of_new_file(std::size_t family = 0) {
    const std::uint64_t before = testing::filter_bytes(*db_, families_[family]);
    for (std::uint64_t i = first_; i < first_ + kKeys; ++i) {
      EXPECT_TRUE(db_->Put({}, families_[family], key_of(i), "").ok());
    }
    EXPECT_TRUE(db_->Flush({}, families_[family]).ok());
    first_ += kKeys;
    return filter_bytes(*db_, families_[family]) - before;
  }
  /// Expects an error, and unchanged filters.
  void expect_refused(const std::string& option, const std::string& message) {
    const rocksdb::Status refused = set(option);
    if (kReportsErrors) {
      EXPECT_THAT(refused.ToString(), HasSubstr(message));
    } else {
      EXPECT_TRUE(refused.ok()) << "RocksDB reports errors now: correct the README, " << refused.ToString();
    }
  }

  TempFolder folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::uint64_t first_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Rocksdb, EverySpelling,
                         ::testing::Values(Spelling{"InPlace", set_in_place}, Spelling{"InBraces", set_in_braces}),
                         [](const auto& param_info) { return param_info.param.name; });

TEST_P(EverySpelling, ChangesTheFiltersThatAreWrittenNext) {
  open(crivo_bloom(10));
  EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(10));
  ASSERT_TRUE(set("bits_per_key=20").ok());
  EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(20));
  ASSERT_TRUE(set("fp_rate=0.1").ok());
  const std::uint64_t by_rate = filter_bytes_of_new_file();
  EXPECT_EQ(by_rate,
            new_builder(*NewRocksDBFilterPolicy({.fp_rate = 0.1, .kind = Kind::kBlocked}))->CalculateSpace(kKeys));
  ASSERT_TRUE(set("bits_per_key=8").ok());
  EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(8)) << "the other size must take the place of the rate";
}

TEST_P(EverySpelling, ChangesOneOptionOfARibbonAndKeepsTheOthers) {
  open(policy_from_string("crivo.Ribbon:10"));
  EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(10)) << "what is flushed is Bloom";
  ASSERT_TRUE(set("bloom_before_level=-1").ok());
  EXPECT_LT(filter_bytes_of_new_file(), bloom_bytes(10) * 3 / 4);
  ASSERT_TRUE(set("bits_per_key=20").ok());
  // A ribbon's size varies: up to 3% less than planned, rarely more (PredictsItsSizes).
  const auto ribbon = static_cast<double>(new_builder(*crivo_ribbon(20))->CalculateSpace(kKeys));
  EXPECT_NEAR(static_cast<double>(filter_bytes_of_new_file()), ribbon, ribbon * 0.04);
  expect_refused("bloom_before_level=-2", "crivo.Ribbon: bloom_before_level must be an integer");
  EXPECT_NEAR(static_cast<double>(filter_bytes_of_new_file()), ribbon, ribbon * 0.04);
  ASSERT_TRUE(set("bloom_before_level=0").ok());
  EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(20));
}

TEST_P(EverySpelling, OfOneCallChangesAllOrNothing) {
  open(crivo_bloom(8));
  const auto in_place = [](const std::string& option) { return "table_factory.filter_policy." + option; };
  const auto in_braces = [](const std::string& options) { return "{filter_policy={" + options + "}}"; };
  const std::string factory = "block_based_table_factory";
  const bool braces = GetParam().name == "InBraces";
  // RocksDB applies the options of a call in the order of a hash table. With many pairs, the invalid one is applied
  // first in some cases and last in others.
  const std::vector<std::vector<std::string>> wrong{
      {"bits_per_key=12", "max_filter_bytes=-1"},  {"bits_per_key=12", "max_build_bytes=-1"},
      {"bits_per_key=12", "count_questions=2"},    {"bits_per_key=12", "key_transform=unknown"},
      {"bits_per_key=12", "fp_rate=0.1"},          {"fp_rate=0.5", "max_filter_bytes=x"},
      {"max_filter_bytes=200", "bits_per_key=-1"}, {"max_filter_bytes=200", "fp_rate=1", "max_build_bytes=5"}};
  for (const auto& options : wrong) {
    std::string all;
    std::unordered_map<std::string, std::string> call;
    for (const std::string& option : options) {
      const std::size_t equals = option.find('=');
      call[in_place(option.substr(0, equals))] = option.substr(equals + 1);
      all += option + ";";
    }
    if (braces) call = {{factory, in_braces(all)}};
    EXPECT_EQ(db_->SetOptions(families_[0], call).ok(), !kReportsErrors) << all;
    // From 9.8, braces give the column family its own policy. Without a known transform, this policy writes no filter.
    const bool writes_none = braces && !kReportsErrors && options.back() == "key_transform=unknown";
    EXPECT_EQ(filter_bytes_of_new_file(), writes_none ? 0 : bloom_bytes(8)) << all;
  }
  const std::string name = braces ? factory : in_place("bits_per_key");
  // Another object's option may be invalid. From 9.8, RocksDB does not notify the policy, so a change in place stays.
  const std::vector<std::pair<std::string, std::string>> others{{"no_such_option", "1"}, {"comparator", "none"}};
  for (const auto& other : others) {
    const std::string value = braces ? in_braces("bits_per_key=12") : "12";
    EXPECT_FALSE(db_->SetOptions(families_[0], {{name, value}, other}).ok());
    if (kReportsErrors || braces) {
      EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(8)) << other.first;
    }
  }
  if (kReportsErrors) {
    EXPECT_FALSE(db_->SetOptions(families_[0], {{factory, "{filter_policy={bits_per_key=12};block_size=x}"}}).ok());
    EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(8));
  }
  for (const std::string bits : {"12", "14", "14"}) {
    const std::string value = braces ? in_braces("bits_per_key=" + bits) : bits;
    ASSERT_TRUE(db_->SetOptions(families_[0], {{name, value}}).ok()) << "a failed call must not stick";
    EXPECT_EQ(filter_bytes_of_new_file(), bloom_bytes(std::stoul(bits)));
  }
}

TEST_P(EverySpelling, ReachesEveryFamilyThatSharesAPolicyChangedInPlace) {
  open(crivo_bloom(10));
  ASSERT_TRUE(set("bits_per_key=20").ok());
  EXPECT_EQ(filter_bytes_of_new_file(0), bloom_bytes(20));
  const bool in_place = GetParam().name == "InPlace" || !kReplacesThePolicy;
  EXPECT_EQ(filter_bytes_of_new_file(1), bloom_bytes(in_place ? 20 : 10));
}

TEST(RocksdbChange, OfTheLevelsNeedsADatabaseThatOpens) {
  const Policy policy = crivo_auto();
  rocksdb::ColumnFamilyOptions family;
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  context.num_levels = 7;
  context.level_at_creation = 4;  // the last level, or the third-to-last if level sizes are dynamic
  const auto size = [&] { return new_builder(*policy, context)->CalculateSpace(kKeys); };
  family.level_compaction_dynamic_level_bytes = false;
  ASSERT_TRUE(policy->ValidateOptions({}, family).ok());
  const std::size_t ribbon = size();
  family.level_compaction_dynamic_level_bytes = true;
  family.table_properties_collector_factories.resize(1);
  ASSERT_TRUE(rocksdb::TablePropertiesCollectorFactory::CreateFromString(
                  {}, "crivo.Misspelt", &family.table_properties_collector_factories[0])
                  .ok());
  EXPECT_FALSE(policy->ValidateOptions({}, family).ok());
  EXPECT_EQ(size(), ribbon) << "a database that does not open changes nothing for those that are open";
  family.table_properties_collector_factories.clear();
  EXPECT_TRUE(policy->ValidateOptions({}, family).ok());
  EXPECT_GT(size(), ribbon);
}

TEST(RocksdbChange, OfOneCallIsAllOrNothingWhateverOtherThreadsDo) {
  const Policy policy = crivo_bloom(8);
  auto& changed = const_cast<rocksdb::FilterPolicy&>(*policy);
  rocksdb::ConfigOptions call;  // as in SetOptions: serializes the options in detail, then sets each alone
  call.depth = rocksdb::ConfigOptions::kDepthDetailed;
  call.mutable_options_only = true;
  const auto begin = [&] { EXPECT_THAT(policy->ToString(call), HasSubstr("crivo.Bloom")); };
  begin();
  EXPECT_TRUE(changed.ConfigureOption(call, "bits_per_key", "12").ok());
  std::thread(begin).join();
  EXPECT_FALSE(changed.ConfigureOption(call, "fp_rate", "0.1").ok());
  EXPECT_EQ(policy->GetId(), "crivo.Bloom:8");
  EXPECT_FALSE(changed.ConfigureFromString(call, "crivo_id_before=crivo.Bloom:99").ok()) << "no option for users";
  EXPECT_EQ(policy->GetId(), "crivo.Bloom:8");

  begin();
  std::thread([&] {
    begin();
    EXPECT_TRUE(changed.ConfigureOption(call, "max_filter_bytes", "200").ok());
  }).join();
  EXPECT_TRUE(changed.ConfigureOption(call, "bits_per_key", "12").ok());
  EXPECT_EQ(policy->GetId(), "crivo.Bloom:12:max_filter_bytes:200") << "of two changes at once, none is lost";
}

TEST(RocksdbChange, IsSeenAsAWhole) {
  // Two settings that differ in both options. A builder with one option of each setting has seen a partial change.
  const Policy policy = policy_from_string("crivo.Ribbon:5:-1");
  const std::vector<std::string> changes{"bits_per_key=5;bloom_before_level=-1",
                                         "bits_per_key=20;bloom_before_level=2147483647"};
  const std::uint64_t ribbon = new_builder(*policy_from_string("crivo.Ribbon:5:-1"))->CalculateSpace(kKeys);
  const std::uint64_t bloom = new_builder(*policy_from_string("crivo.Bloom:20"))->CalculateSpace(kKeys);
  std::atomic<bool> done = false;
  std::thread changer([&] {
    rocksdb::ConfigOptions config;
    config.mutable_options_only = true;
    for (std::size_t i = 0; !done; ++i) {
      EXPECT_TRUE(const_cast<rocksdb::FilterPolicy&>(*policy).ConfigureFromString(config, changes[i % 2]).ok());
    }
  });
  std::uint64_t ribbons = 0;
  std::uint64_t blooms = 0;
  std::uint64_t torn = 0;
  while (torn == 0 && (ribbons <= 20000 || blooms <= 20000)) {
    const std::uint64_t size = new_builder(*policy)->CalculateSpace(kKeys);
    ++(size == ribbon ? ribbons : size == bloom ? blooms : torn);
  }
  done = true;
  changer.join();
  EXPECT_EQ(torn, 0U) << "of " << ribbons + blooms + torn;
}

}  // namespace
}  // namespace crivo::testing
