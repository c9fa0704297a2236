// How users choose a policy: option strings, OPTIONS files and changes of an open database; and all errors in them.
#include <rocksdb/convenience.h>

#include <cmath>

#include "capture_log.h"
#include "crivo/host/sizing.h"
#include "support.h"

namespace crivo::testing {
namespace {

rocksdb::Options from_string(const std::string& policy) {
  rocksdb::Options options = test_options();
  rocksdb::ColumnFamilyOptions column_family;
  const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
      rocksdb::ConfigOptions(), options, "block_based_table_factory={filter_policy=" + policy + "}", &column_family);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return {options, column_family};
}

const rocksdb::FilterPolicy& policy_of(const rocksdb::ColumnFamilyOptions& options) {
  return *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
}

double bits_for(double fp_rate) {
  return static_cast<double>(size_blocked(10000, fp_rate)->units) * kBlockBits / 10000;
}
double ribbon_bits_for(double fp_rate) { return static_cast<double>(size_ribbon(10000, fp_rate)->units) * 64 / 10000; }
double ribbon_bits_as_bloom(double bits_per_key) {
  return ribbon_bits_for(blocked_fp_rate(bits_per_key / kBlockBits, 1, best_blocked_probes(bits_per_key)));
}

// A flush writes a blocked filter, unless bloom_before_level is -1.
TEST(RocksdbOptions, MakeFiltersOfTheSizeThatTheyAskFor) {
  constexpr double kKeys = 10000;
  for (const auto& [text, bits_per_key] : std::vector<std::pair<std::string, double>>{
           {"crivo.Bloom", 10},
           {"crivo.Bloom:7.25", 7.25},
           {"{id=crivo.Bloom;bits_per_key=8.5}", 8.5},
           {"{id=crivo.Bloom:8;bits_per_key=12}", 12},
           {"crivo.Bloom:fp_rate:0.01", bits_for(0.01)},
           {"{id=crivo.Bloom:fp_rate:0.01;bits_per_key=8}", 8},
           {"{id=crivo.Bloom;fp_rate=0.001;}", bits_for(0.001)},
           {"crivo.Ribbon", 10},
           {"crivo.Ribbon:9:0", 9},
           {"crivo.Ribbon:9:2147483647", 9},
           {"crivo.Ribbon:10:-1", ribbon_bits_as_bloom(10)},
           {"{id=crivo.Ribbon;fp_rate=0.01}", bits_for(0.01)},
           {"crivo.Ribbon:fp_rate:0.01:-1", ribbon_bits_for(0.01)},
           {"{id=crivo.Ribbon;fp_rate=0.01;bloom_before_level=-1}", ribbon_bits_for(0.01)},
           {"{id=crivo.Ribbon:8:-1;bits_per_key=9.5}", ribbon_bits_as_bloom(9.5)},
           {"{id=crivo.Ribbon:fp_rate:0.01:-1;bits_per_key=14}", ribbon_bits_as_bloom(14)}}) {
    SCOPED_TRACE(text);
    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.reason = rocksdb::TableFileCreationReason::kFlush;
    const auto builder = new_builder(policy_of(from_string(text)), context);
    const auto bytes = static_cast<double>(build_block(*builder, 0, static_cast<std::uint64_t>(kKeys)).size());
    // n * bits / 8 bytes, rounded up to 64, and the trailer of 32. A ribbon is up to 3% smaller than planned.
    const double payload = std::ceil(kKeys * bits_per_key / 512) * 64;
    EXPECT_LT(bytes, payload * 1.01 + 32);
    EXPECT_GT(bytes, payload * (bits_per_key < 7.2 ? 0.96 : 0.995) + 32);
  }
}

struct BadOption {
  std::string text;
  std::string message;
  std::string ending{};  // of a message that lists all options before it
};

TEST(RocksdbOptions, ThatAreWrongAreReportedByOpen) {
  for (const auto& [text, message, ending] :
       {BadOption{"crivo.Bloom:ten", "crivo.Bloom: bits_per_key must be in [0, 1000], got ten"},
        BadOption{"crivo.Bloom:fpr:0.01",
                  "crivo.Bloom: option must be bits_per_key, fp_rate, key_transform, max_filter_bytes, "
                  "max_build_bytes or count_questions, got fpr"},
        BadOption{"crivo.Bloom:", "crivo.Bloom: bits_per_key must be in [0, 1000], got nothing"},
        BadOption{"crivo.Bloom:fp_rate:2", "crivo.Bloom: fp_rate must be in [1e-9, 1), got 2"},
        BadOption{"crivo.Ribbon:fp_rate:0.01:x",
                  "crivo.Ribbon: bloom_before_level must be an integer in [-1, 2147483647], got x"},
        BadOption{"crivo.Bloom:-1", "crivo.Bloom: bits_per_key must be in [0, 1000], got -1"},
        BadOption{"crivo.Bloom:nan", "crivo.Bloom: bits_per_key must be in [0, 1000], got nan"},
        BadOption{"{id=crivo.Bloom;fp_rate=0.01;bits_per_key=10}", "must not be set together with"},
        BadOption{"{id=crivo.Bloom;kind=ribbon}", "crivo.Bloom: option must be bits_per_key", ", got kind"},
        BadOption{"{id=crivo.Bloom;bits=10}", "crivo.Bloom: option must be bits_per_key", ", got bits"},
        BadOption{"crivo.Bloom:10:count_questions:maybe",
                  "crivo.Bloom: count_questions must be true or false, got maybe"},
        BadOption{"{id=crivo.Bloom;bits_per_key=10;crivo.Bloom.bits_per_key=12}",
                  "crivo.Bloom: bits_per_key must be set once, got two values"},
        BadOption{"crivo.Ribbon::1", "crivo.Ribbon: bits_per_key must be in [0, 1000], got nothing"},
        BadOption{"crivo.Ribbon:10:",
                  "crivo.Ribbon: bloom_before_level must be an integer in [-1, 2147483647], got nothing"},
        BadOption{"crivo.Ribbon:10:-2",
                  "crivo.Ribbon: bloom_before_level must be an integer in [-1, 2147483647], got -2"},
        BadOption{"crivo.Ribbon:10:2147483648",
                  "crivo.Ribbon: bloom_before_level must be an integer in [-1, 2147483647], got 2147483648"},
        BadOption{"{id=crivo.Ribbon;fp_rate=1e-10}", "crivo.Ribbon: fp_rate must be in [1e-9, 1), got 1e-10"},
        BadOption{"crivo.Auto:levels:1", "crivo.Auto: levels must be an integer in [2, 64], got 1"},
        BadOption{"crivo.Auto:levels", "crivo.Auto: levels must be an integer in [2, 64], got nothing"},
        BadOption{"{id=crivo.Auto;kind=ribbon}", "crivo.Auto: option must be bits_per_key"},
        BadOption{"{id=crivo.Auto;bottommost_fp_rate=0}", "crivo.Auto: bottommost_fp_rate must be in [1e-9, 1], got 0"},
        BadOption{"{id=crivo.Auto;level_ratio=0.5}", "crivo.Auto: level_ratio must be in [1, 1000], got 0.5"},
        BadOption{"{id=crivo.Auto;ribbon_levels=1.5}",
                  "crivo.Auto: ribbon_levels must be an integer in [0, 64], got 1.5"},
        BadOption{"{id=crivo.Auto;budget_bits_per_key=1001}",
                  "crivo.Auto: budget_bits_per_key must be in [0, 1000], got 1001"},
        BadOption{"{id=crivo.Auto;budget_bits_per_key=8;bits_per_key=10}", "must not be set together with"},
        BadOption{"crivo.Auto:budget_bits_per_key:8:bottommost_fp_rate:0.1",
                  "crivo.Auto: bottommost_fp_rate must not be set together with budget_bits_per_key, got both"},
        BadOption{"crivo.Blum:10",
                  "crivo.Blum:10: name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got crivo.Blum"},
        BadOption{"crivo", "crivo: name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got crivo"}}) {
    const rocksdb::Status status = try_to_open(from_string(text));
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_THAT(status.ToString(), AllOf(HasSubstr(message), EndsWith(ending))) << text;
  }
}

TEST(RocksdbOptions, InCodeAreCheckedLikeStrings) {
  const auto open_error = [](const RocksDBFilterOptions& options) {
    const auto status = try_to_open(with_policy(test_options(), NewRocksDBFilterPolicy(options)));
    return status.ok() ? "" : status.ToString();
  };
  EXPECT_EQ(open_error({}), "");
  EXPECT_EQ(open_error({.fp_rate = 0.01}), "");
  EXPECT_EQ(open_error({.fp_rate = 1e-9}), "");
  EXPECT_EQ(open_error({.bits_per_key = 1000}), "");
  EXPECT_THAT(open_error({.bits_per_key = -1}), HasSubstr("crivo.Auto: bits_per_key must be in [0, 1000], got -1"));
  EXPECT_THAT(open_error({.fp_rate = 2}), HasSubstr("crivo.Auto: fp_rate must be in [1e-9, 1), got 2"));
  EXPECT_THAT(open_error({.bits_per_key = 10, .fp_rate = 0.01}), HasSubstr("must not be set together with"));
  EXPECT_EQ(open_error({.kind = Kind::kRibbon, .bloom_before_level = 3}), "");
  EXPECT_THAT(open_error({.fp_rate = 2, .kind = Kind::kRibbon}),
              HasSubstr("crivo.Ribbon: fp_rate must be in [1e-9, 1), got 2"));
  EXPECT_THAT(open_error({.kind = Kind::kRibbon, .bloom_before_level = -2}),
              HasSubstr("crivo.Ribbon: bloom_before_level must be an integer in [-1, 2147483647], got -2"));
  EXPECT_THAT(open_error({.kind = Kind::kBlocked, .bloom_before_level = 0}),
              AllOf(HasSubstr("crivo.Bloom: option must be bits_per_key"), EndsWith(", got bloom_before_level")));
  EXPECT_THAT(open_error({.kind = Kind::kClassic}),
              HasSubstr("crivo.Bloom: kind must be blocked or ribbon, got classic"));
}

TEST(RocksdbOptions, InCodeAreAllHeard) {
  // With a new field, this does not compile until the field is named here. It also needs a row below, at the end of the
  // struct, and a new name for the struct's inline namespace.
  [[maybe_unused]] const auto& [bits, rate, kind, transform, bloom_before, count, most_filter, most_build, budget,
                                bottommost, ribbons, levels, ratio, most_total] = RocksDBFilterOptions();
  for (const auto& [options, id] : std::vector<std::pair<RocksDBFilterOptions, std::string>>{
           {{.bits_per_key = 5}, "crivo.Auto:5"},
           {{.fp_rate = 0.02}, "crivo.Auto:fp_rate:0.02"},
           {{.kind = Kind::kBlocked}, "crivo.Bloom:10"},
           {{.key_transform = "lower_ascii"}, "crivo.Auto:10:key_transform:lower_ascii"},
           {{.kind = Kind::kRibbon, .bloom_before_level = 3}, "crivo.Ribbon:10:3"},
           {{.count_questions = true}, "crivo.Auto:10:count_questions:true"},
           {{.max_filter_bytes = 500}, "crivo.Auto:10:max_filter_bytes:500"},
           {{.max_total_bytes = 700}, "crivo.Auto:10:max_total_bytes:700"},
           {{.max_build_bytes = 600}, "crivo.Auto:10:max_build_bytes:600"},
           {{.budget_bits_per_key = 7}, "crivo.Auto:budget_bits_per_key:7"},
           {{.bottommost_fp_rate = 0.1}, "crivo.Auto:10:bottommost_fp_rate:0.1"},
           {{.ribbon_levels = 1}, "crivo.Auto:10:ribbon_levels:1"},
           {{.levels = 3}, "crivo.Auto:10:levels:3"},
           {{.level_ratio = 8}, "crivo.Auto:10:level_ratio:8"}}) {
    EXPECT_EQ(NewRocksDBFilterPolicy(options)->GetId(), id);
  }
}

TEST(RocksdbOptions, BelowHalfABitWriteNoFilter) {
  for (const std::string text : {"crivo.Bloom:0", "crivo.Bloom:0.49", "crivo.Ribbon:0.49:-1"}) {
    const ScratchDatabase db(from_string(text));
    put_keys(*db, 0, 1000);
    EXPECT_EQ(filter_bytes(*db), 0U) << text;
    EXPECT_EQ(count_not_found(*db, 0, 1000), 0U) << text;
  }
  for (const PolicyMaker& policy : our_policies()) EXPECT_NE(new_builder(*policy.make(0.5)), nullptr);
}

TEST(RocksdbOptions, ComeBackFromTheOptionsFile) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"crivo.Bloom:9.9", "crivo.Bloom:9.9"},
           {"{id=crivo.Bloom;fp_rate=0.003}", "crivo.Bloom:fp_rate:0.003"},
           {"crivo.Ribbon:9.9:2", "crivo.Ribbon:9.9:2"},
           {"crivo.Ribbon", "crivo.Ribbon:10:0"},
           {"{id=crivo.Ribbon;fp_rate=0.003;bloom_before_level=-1}", "crivo.Ribbon:fp_rate:0.003:-1"},
           {"crivo.Auto", "crivo.Auto:10"},
           {"crivo.Ribbon:fp_rate:0.01:key_transform:take_prefix:16:-1",
            "crivo.Ribbon:fp_rate:0.01:key_transform:take_prefix:16:-1"},
           {"{id=crivo.Auto;fp_rate=0.003;bottommost_fp_rate=0.1}", "crivo.Auto:fp_rate:0.003:bottommost_fp_rate:0.1"},
           {"{id=crivo.Auto;budget_bits_per_key=6.5;levels=3;level_ratio=8;ribbon_levels=1}",
            "crivo.Auto:budget_bits_per_key:6.5:ribbon_levels:1:levels:3:level_ratio:8"}}) {
    ScratchDatabase db(from_string(text));
    put_keys(*db, 0, 1000);
    rocksdb::Options options = loaded_options(db.path());
    EXPECT_EQ(policy_of(options).GetId(), expected);

    options.statistics = rocksdb::CreateDBStatistics();
    db.reopen(options);
    put_keys(*db, 1000, 2000);
    expect_filters_at_work(*db, options, 2000, expected.substr(0, expected.find(':')));
  }
}

TEST(RocksdbOptions, AreComparedOneByOne) {
  const auto same = [](const std::string& a, const std::string& b) {
    std::string mismatch;
    return policy_from_string(a)->AreEquivalent({}, policy_from_string(b).get(), &mismatch);
  };
  EXPECT_TRUE(same("crivo.Auto:9", "{id=crivo.Auto;bits_per_key=9}"));
  EXPECT_FALSE(same("crivo.Auto:9", "crivo.Auto:10"));
  EXPECT_FALSE(same("crivo.Auto:9", "{id=crivo.Auto;bits_per_key=9;count_questions=true}"));
}

TEST(RocksdbOptions, InErrorSaySoInLogForEveryFile) {
  CaptureLog log;
  (void)new_builder(*crivo_bloom(10), &log);
  EXPECT_EQ(log.take(), "");
  (void)new_builder(*NewRocksDBFilterPolicy({.fp_rate = 2, .kind = Kind::kRibbon}), &log);
  EXPECT_THAT(log.take(),
              HasSubstr("crivo.Ribbon: fp_rate must be in [1e-9, 1), got 2; the filter is that of crivo.Ribbon:10:0"));
}

TEST(RocksdbOptions, InErrorStillWriteAndReadFilters) {
  // DB::Open rejects these policies, but other callers may not check whether a policy is valid.
  const Policy good = crivo_bloom(10);
  const std::string block = build_block(*new_builder(*good), 0, 1000);
  const Policy bad = NewRocksDBFilterPolicy({.bits_per_key = -1, .kind = Kind::kBlocked});
  const auto builder = new_builder(*bad);
  ASSERT_NE(builder, nullptr);
  EXPECT_TRUE(build_block(*builder, 0, 1000) == block) << "the default stands in for what was refused";
  const auto reader = new_reader(*bad, block);
  int found = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) found += reader->MayMatch(key_of(i));
  EXPECT_GE(found, 1000);
  EXPECT_LT(found, 1100);
}

}  // namespace
}  // namespace crivo::testing
