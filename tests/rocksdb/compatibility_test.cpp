// Switching to Crivo and back: who reads whose filters, and how well.
#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 10000;

class EveryBuiltin : public ::testing::TestWithParam<std::tuple<PolicyMaker, PolicyMaker, bool>> {
 protected:
  [[nodiscard]] static Policy ours() { return std::get<0>(GetParam()).make(10); }
  [[nodiscard]] static Policy theirs() { return std::get<1>(GetParam()).make(10); }

  [[nodiscard]] static rocksdb::Options options(const Policy& policy, std::uint32_t format_version = 5) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.format_version = format_version;
    if (std::get<2>(GetParam())) partition(table, 4096);
    return with_table(test_options(), table);
  }

  /// How often the filters in the database spare a look-up of kKeys absent keys under this policy.
  [[nodiscard]] static std::uint64_t useful_under(const Policy& policy, const std::string& path) {
    const rocksdb::Options options = EveryBuiltin::options(policy);
    const auto db = open_database(options, path);
    EXPECT_EQ(count_not_found(*db, 0, kKeys), 0U);
    EXPECT_EQ(count_not_found_by_multiget(*db, 0, kKeys), 0U);
    const std::uint64_t before = filter_useful(options);
    EXPECT_EQ(count_not_found(*db, kKeys, kKeys * 2), kKeys);
    return filter_useful(options) - before;
  }
};

TEST_P(EveryBuiltin, FiltersAreReadAtFullEffect) {
  const TempFolder folder;
  put_keys(*open_database(options(theirs()), folder.path()), 0, kKeys);
  const std::uint64_t useful = useful_under(theirs(), folder.path());
  EXPECT_GT(useful, kKeys * 97 / 100);
  EXPECT_EQ(useful_under(ours(), folder.path()), useful);
}

TEST_P(EveryBuiltin, PolicyReadsOursAsMaybe) {
  const TempFolder folder;
  put_keys(*open_database(options(ours()), folder.path()), 0, kKeys);
  EXPECT_EQ(useful_under(theirs(), folder.path()), 0U);
  EXPECT_EQ(useful_under(nullptr, folder.path()), 0U);
  EXPECT_GT(useful_under(ours(), folder.path()), kKeys * 97 / 100) << "nothing was spoilt";
}

TEST_P(EveryBuiltin, LivesWithOursInOneDatabase) {
  const TempFolder folder;
  for (std::uint64_t part = 0; part < 4; ++part) {
    const auto db = open_database(options(part % 2 == 0 ? theirs() : ours()), folder.path());
    put_keys(*db, part * kKeys / 4, (part + 1) * kKeys / 4);
  }
  // Every absent key asks four files: two of theirs, two of ours.
  EXPECT_GT(useful_under(ours(), folder.path()), 4 * kKeys * 97 / 100);
  const std::uint64_t theirs_only = useful_under(theirs(), folder.path());
  EXPECT_GT(theirs_only, 2 * kKeys * 97 / 100);
  EXPECT_LE(theirs_only, 2 * kKeys);

  // Compaction rewrites every file with the policy of the day.
  const rocksdb::Options today = options(ours());
  const auto db = open_database(today, folder.path());
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  expect_filters_at_work(*db, today, kKeys, std::get<0>(GetParam()).name);
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, EveryBuiltin,
                         ::testing::Combine(::testing::ValuesIn(our_policies()),
                                            ::testing::ValuesIn(builtin_policies()), ::testing::Bool()),
                         [](const auto& param_info) {
                           return std::get<0>(param_info.param).label + std::get<1>(param_info.param).label +
                                  (std::get<2>(param_info.param) ? "Partitioned" : "Full");
                         });

TEST(RocksdbCompatibility, LegacyBloomFiltersAreReadAtFullEffect) {
  const auto options = [](const Policy& policy) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.format_version = 4;  // before 5, RocksDB writes the Bloom filter of old
    return with_table(test_options(), table);
  };
  ScratchDatabase db(options(builtin_bloom()));
  put_keys(*db, 0, kKeys);
  const rocksdb::Options ours = options(crivo_bloom());
  db.reopen(ours);
  EXPECT_EQ(count_not_found(*db, 0, kKeys), 0U);
  EXPECT_EQ(count_not_found(*db, kKeys, kKeys * 2), kKeys);
  EXPECT_GT(filter_useful(ours), kKeys * 97 / 100);
}

TEST(RocksdbCompatibility, BuiltinBlocksOfAnySizeAreDelegated) {
  // The reader tells our blocks from theirs by the marker and the size: every size must get through.
  const Policy ours = crivo_bloom();
  rocksdb::BlockBasedTableOptions legacy;
  legacy.format_version = 4;
  for (const bool for_memory : {false, true}) {
    rocksdb::BlockBasedTableOptions current;
    current.optimize_filters_for_memory = for_memory;
    for (const Policy& theirs : {builtin_bloom(), builtin_ribbon(), builtin_bloom(3.7), builtin_ribbon(17)}) {
      for (const auto& table : {current, legacy}) {
        for (std::uint64_t keys = 1; keys < 3000; keys += 1 + keys / 7) {
          const std::string block = build_block(*new_builder(*theirs, table), 0, keys);
          const auto reader = new_reader(*theirs, block);
          const auto our_reader = new_reader(*ours, block);
          for (std::uint64_t i = 0; i < keys + 100; ++i) {
            ASSERT_EQ(our_reader->MayMatch(key_of(i)), reader->MayMatch(key_of(i))) << block.size() << " bytes";
          }
        }
      }
    }
  }
}

// RocksDB's readers believe the size, and read up to 4 GiB behind the block.
TEST(RocksdbCompatibility, BuiltinBlocksWithAWrongNumberOfLinesAreNotDelegated) {
  rocksdb::BlockBasedTableOptions legacy;
  legacy.format_version = 4;
  std::vector<std::string> forged(6, build_block(*new_builder(*builtin_bloom(), legacy), 0, kKeys));
  for (std::size_t bit = 0; bit < forged.size(); ++bit) {
    char& last = forged[bit].back();
    last = static_cast<char>(last ^ 4 << bit);
  }
  for (const std::size_t payload : {16, 32, 48, 80}) {
    forged.push_back(std::string(payload, '\0') + std::string("\xff\0\x06\0\0", 5));
  }
  const Policy ours = crivo_bloom();
  for (const std::string& block : forged) {
    const auto reader = new_reader(*ours, block);
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(reader->MayMatch(key_of(i))) << block.size() << " bytes";
  }
  EXPECT_EQ(GetRocksDBFilterCounters(ours.get())->damaged_blocks, forged.size());
}

}  // namespace
}  // namespace crivo::testing
