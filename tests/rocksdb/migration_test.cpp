// From RocksDB's filters to Crivo's and back, with compactions half-way: no key is lost, and the filters of the day are
// at work. tests/rocksdb/migrate_releases does the same from one release of RocksDB to another.
#include "migration.h"

#include "support.h"

namespace crivo::testing {
namespace {

struct Layout {
  const char* label;
  const char* family;  // options of the column family
  const char* table;   // and of its table
};
void PrintTo(const Layout& layout, std::ostream* out) { *out << layout.label; }

const Layout kLayouts[] = {
    {"Full", "", ""},
    {"Partitioned", "", "partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=512"},
    {"Prefixes", "prefix_extractor=rocksdb.FixedPrefix.4;", "whole_key_filtering=false"},
    {"PrefixesAndKeysPartitioned", "prefix_extractor=rocksdb.FixedPrefix.4;",
     "partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=512"},
};

class Migration : public ::testing::TestWithParam<std::tuple<PolicyMaker, PolicyMaker, Layout>> {
 protected:
  /// Opens the database under this policy, and expects every key to be there, before and after.
  Visited go(const std::string& policy, std::uint64_t added, Compaction compaction) {
    const Layout layout = std::get<2>(GetParam());
    const std::string options =
        std::string(layout.family) + "block_based_table_factory={filter_policy=" + policy + ";" + layout.table + "}";
    const Visited visited = visit(folder_.file("db"), {options, keys_, added, compaction});
    keys_ += added;
    EXPECT_EQ(visited.lost, 0U) << policy;
    EXPECT_GT(visited.files, 1U) << "there is no half of one file";
    return visited;
  }

  [[nodiscard]] static std::string ours() {
    const std::string name = std::get<0>(GetParam()).name;
    return name == "crivo.Ribbon" ? name + ":10:-1" : name + ":10";
  }
  [[nodiscard]] static std::string theirs() {
    const std::string name = std::get<1>(GetParam()).name;
    return name == "ribbonfilter" ? name + ":10:-1" : name + ":10";
  }

 private:
  TempFolder folder_;
  std::uint64_t keys_ = 0;
};

TEST_P(Migration, ToCrivoHalfWayAndBackLosesNoKey) {
  const Visited stock = go(theirs(), 2000, Compaction::kAll);
  EXPECT_EQ(stock.with_ours, 0U);
  EXPECT_GT(stock.useful, stock.absent * 9 / 10);

  const Visited half = go(ours(), 500, Compaction::kLowerHalf);
  EXPECT_GT(half.with_ours, 0U);
  EXPECT_LT(half.with_ours, half.files);
  EXPECT_GT(half.useful, half.absent * 9 / 10) << "both kinds of filters are at work";

  const Visited back = go(theirs(), 500, Compaction::kUpperHalf);
  EXPECT_GT(back.with_ours, 0U) << "ours are still there, and read as \"maybe\"";
  EXPECT_GT(back.useful, 0U);

  const Visited whole = go(ours(), 500, Compaction::kAll);
  EXPECT_EQ(whole.with_ours, whole.files);
  EXPECT_GT(whole.useful, whole.absent * 9 / 10);

  const Visited none = go("nullptr", 0, Compaction::kLowerHalf);
  EXPECT_EQ(none.useful, 0U);

  const Visited home = go(theirs(), 500, Compaction::kAll);
  EXPECT_EQ(home.with_ours, 0U);
  EXPECT_GT(home.useful, home.absent * 9 / 10);
}

std::string migration_name(const ::testing::TestParamInfo<Migration::ParamType>& test) {
  const auto& [ours, theirs, layout] = test.param;
  return ours.label + theirs.label + layout.label;
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, Migration,
                         ::testing::Combine(::testing::ValuesIn(our_policies()),
                                            ::testing::Values(builtin_policies()[0]), ::testing::ValuesIn(kLayouts)),
                         migration_name);
INSTANTIATE_TEST_SUITE_P(RocksdbLong, Migration,
                         ::testing::Combine(::testing::ValuesIn(our_policies()),
                                            ::testing::Values(builtin_policies()[1]), ::testing::ValuesIn(kLayouts)),
                         migration_name);

}  // namespace
}  // namespace crivo::testing
