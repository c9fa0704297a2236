// VerifyRocksDBFilters: its report on a database, on files without filters, and on filters that no lookup uses.
#include <rocksdb/slice_transform.h>

#include <atomic>
#include <thread>

#include "crivo/rocksdb_refilter.h"
#include "crivo/rocksdb_verify.h"
#include "wrapped_builder.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 3000;

RocksDBFileFilter only_file(const rocksdb::Options& options) {
  const ScratchDatabase db(options);
  put_keys(*db, 0, kKeys);
  EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  EXPECT_TRUE(report.status.ok()) << report.status.ToString();
  EXPECT_FALSE(report.all_filters_work());
  EXPECT_EQ(report.files.size(), 1U);
  EXPECT_THAT(report.text(), HasSubstr(report.files.at(0).complaint));
  return report.files.at(0);
}

TEST(FilterReport, SaysWhyAFileHasNoFilter) {
  const RocksDBFileFilter without = only_file(with_policy(test_options(), nullptr));
  EXPECT_EQ(without.kind, "none");
  EXPECT_EQ(without.current_fp_rate, 1);
  EXPECT_THAT(without.complaint, HasSubstr("written without a filter policy"));
  const RocksDBFileFilter too_few = only_file(with_policy(test_options(), crivo_bloom(0.4)));
  EXPECT_EQ(too_few.kind, "none");
  EXPECT_THAT(too_few.complaint, HasSubstr("crivo.Bloom was set, but wrote no filter: fewer than 0.5 bits"));
  const auto told = [](const Policy& policy, int prefix) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.whole_key_filtering = false;
    rocksdb::Options options = with_table(test_options(), table);
    if (prefix > 0) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(static_cast<std::size_t>(prefix)));
    return only_file(options).complaint;
  };
  EXPECT_THAT(told(crivo_bloom(), 20), HasSubstr("wrote no filter: no key with a prefix by rocksdb.FixedPrefix.20, "));
  EXPECT_THAT(told(crivo_bloom(), 0),
              EndsWith("wrote no filter: whole_key_filtering was off without a prefix_extractor"));
  const Policy reading = policy_from_string("rocksdb.BuiltinBloomFilter");
  EXPECT_THAT(only_file(with_policy(test_options(), reading)).complaint, HasSubstr("a read-only policy"));
  const RocksDBFileFilter foreign = only_file(
      with_policy(test_options(), std::make_shared<WrappedPolicy>("my.Policy", "my.Filter", builtin_bloom())));
  EXPECT_EQ(foreign.kind, "foreign");
  EXPECT_THAT(foreign.complaint, HasSubstr("my.Filter"));
}

TEST(FilterReport, SaysThatTheLastLevelIsLeftOut) {
  rocksdb::Options options = with_policy(test_options(), crivo_bloom());
  options.optimize_filters_for_hits = true;
  const ScratchDatabase db(options);
  put_keys(*db, 0, kKeys);
  put_keys(*db, kKeys / 2, 2 * kKeys);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].kind, "none");
  EXPECT_THAT(report.files[0].complaint, HasSubstr("optimize_filters_for_hits"));
}

TEST(FilterReport, KnowsColumnFamiliesAndWhatTheyRead) {
  ScratchDatabase db(with_policy(test_options(), crivo_ribbon()));
  put_keys(*db, 0, kKeys);
  Family other = create_family(*db, with_policy(test_options(), builtin_bloom()));
  put_keys(*db, 0, 1, other.get());
  const RocksDBFilterReport all = VerifyRocksDBFilters(*db);
  ASSERT_EQ(all.files.size(), 2U);
  EXPECT_EQ(all.files[0].kind, "ribbon");
  EXPECT_EQ(all.files[1].kind, "rocksdb.bloom");
  EXPECT_EQ(all.files[1].column_family, "other");
  EXPECT_EQ(all.files[0].complaint, "");
  EXPECT_THAT(all.files[1].complaint, HasSubstr("is unknown, because its handle was not passed"));
  EXPECT_FALSE(all.all_filters_work()) << "the other column family may be open without a policy";
  EXPECT_TRUE(VerifyRocksDBFilters(*db, {db->DefaultColumnFamily(), other.get()}).all_filters_work());
  const RocksDBFilterReport one = VerifyRocksDBFilters(*db, {other.get()});
  ASSERT_EQ(one.files.size(), 1U);
  EXPECT_EQ(one.files[0].column_family, "other");
  ASSERT_TRUE(db->DropColumnFamily(other.get()).ok());
  other.reset();
  db.reopen(with_policy(test_options(), nullptr));
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].kind, "ribbon");
  EXPECT_THAT(report.files[0].complaint, HasSubstr("open without a filter policy"));
  EXPECT_FALSE(report.all_filters_work());
}

TEST(FilterReport, KnowsThatBuiltinPoliciesDoNotReadCrivosFilters) {
  for (const Policy& policy : {crivo_bloom(), crivo_ribbon(), builtin_bloom()}) {
    ScratchDatabase db(with_policy(test_options(), policy));
    put_keys(*db, 0, kKeys);
    db.reopen(with_policy(test_options(), builtin_ribbon()));
    const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
    const bool is_builtin = std::string(policy->Name()) == builtin_bloom()->Name();
    EXPECT_EQ(report.all_filters_work(), is_builtin) << report.text();
    EXPECT_THAT(report.files.at(0).complaint, HasSubstr(is_builtin ? "" : "Crivo's filters let every key pass"));
  }
}

TEST(FilterReport, ComparesKeyTransforms) {
  const auto lower = NewRocksDBFilterPolicy({.key_transform = "lower_ascii"});
  ScratchDatabase db(with_policy(test_options(), lower));
  put_keys(*db, 0, kKeys);
  const auto report_under = [&](const Policy& policy) {
    db.reopen(with_policy(test_options(), policy));
    return VerifyRocksDBFilters(*db).files.at(0);
  };
  EXPECT_EQ(report_under(lower).key_transform, "lower_ascii");
  EXPECT_THAT(report_under(lower).complaint, IsEmpty());
  EXPECT_THAT(report_under(crivo_bloom()).complaint,
              HasSubstr("open with key_transform \"\", and the filter has \"lower_"));
  EXPECT_THAT(report_under(builtin_bloom()).complaint, HasSubstr("reads the filters of rocksdb.BuiltinBloomFilter"));
  EXPECT_EQ(report_under(crivo_bloom()).damaged, 0U);
}

TEST(FilterReport, SaysThatNothingReadsTheOldNameOfTransformedFilters) {
  const auto lower = NewRocksDBFilterPolicy({.key_transform = "lower_ascii"});
  // Crivo 0.1 used the name of RocksDB's filters.
  const auto old = std::make_shared<WrappedPolicy>(lower->Name(), "rocksdb.BuiltinBloomFilter", lower);
  rocksdb::Options renamed = with_policy(test_options(), old);
  renamed.fail_if_options_file_error = false;  // RocksDB 9 cannot create this policy from OPTIONS
  ScratchDatabase db(renamed);
  put_keys(*db, 0, kKeys);
  const rocksdb::Options options = with_policy(test_options(), lower);
  db.reopen(options);
  EXPECT_EQ(count_not_found(*db, 0, kKeys), 0U);
  EXPECT_EQ(count_not_found(*db, kKeys, 2 * kKeys), kKeys);
  EXPECT_EQ(filter_useful(options), 0U);
  EXPECT_THAT(VerifyRocksDBFilters(*db).files.at(0).complaint, HasSubstr("Crivo 0.1 wrote this filter"));
  EXPECT_EQ(RefilterRocksDB(*db).files, 1U);
  EXPECT_TRUE(VerifyRocksDBFilters(*db).all_filters_work());
  EXPECT_EQ(count_not_found(*db, 0, 2 * kKeys), kKeys);
  EXPECT_GT(filter_useful(options), kKeys * 9 / 10);
}

TEST(FilterReport, CountsNothing) {
  const auto policy = crivo_bloom();
  const ScratchDatabase db(with_policy(test_options(), policy));
  put_keys(*db, 0, 100);
  ASSERT_TRUE(VerifyRocksDBFilters(*db).all_filters_work());
  const auto counters = GetRocksDBFilterCounters(policy.get());
  ASSERT_TRUE(counters.has_value());
  EXPECT_EQ(counters->blocked.built, 1U);
  EXPECT_EQ(counters->blocked.keys, 100U);
}

TEST(FilterReport, TellsOfALiveFileThatIsMissing) {
  const ScratchDatabase db(with_policy(test_options(), crivo_bloom()));
  put_keys(*db, 0, 100);
  put_keys(*db, 100, 200);
  ASSERT_EQ(sst_files(db.path()).size(), 2U);
  ASSERT_TRUE(std::filesystem::remove(sst_files(db.path())[0]));
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  EXPECT_FALSE(report.status.ok());
  EXPECT_EQ(report.files.size(), 2U);
}

TEST(FilterReport, CanBeMadeWhileTheDatabaseIsCompacted) {
  rocksdb::Options options = with_policy(test_options(), crivo_bloom());
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 2;
  options.target_file_size_base = 16 << 10;
  const ScratchDatabase db(options);
  put_keys(*db, 0, 1000);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint64_t round = 0; round < 10; ++round) put_keys(*db, round * 200, round * 200 + 600);
    done = true;
  });
  std::size_t reports = 0;
  for (; !done || reports < 10; ++reports) {
    const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
    EXPECT_TRUE(report.status.ok()) << report.status.ToString();
    EXPECT_TRUE(report.all_filters_work()) << report.text();
  }
  writer.join();
}

}  // namespace
}  // namespace crivo::testing
