// Databases whose comparators consider different bytes equal, with filters of canonical keys (facebook/rocksdb#10256).
// Every key is found under every spelling, and absent keys are filtered.
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cctype>

#include "canonical_comparator.h"
#include "support.h"

namespace crivo::testing {
namespace {

using rocksdb::Slice;

std::string without_suffix(const Slice& key) {
  return key.ToString().substr(0, key.size() - std::min<std::size_t>(8, key.size()));
}
/// Removes blanks, which no built-in transform does.
std::string without_blanks(const Slice& key) {
  std::string text = key.ToString();
  std::erase(text, ' ');
  return text;
}

/// A comparator, its transform, and ways to spell a key. Equal keys have equal prefixes.
struct World {
  std::string label;
  const rocksdb::Comparator* comparator;
  std::string key_transform;
  std::size_t prefix;
  std::string (*key)(std::uint64_t number, unsigned spelling);
};

// A program's own key transform, as in docs/rocksdb_options.md.
Slice drop_blanks(const Slice& key, std::string* scratch) {
  *scratch = without_blanks(key);
  return *scratch;
}
const bool kRegistered = RegisterKeyTransform("crivo-test.drop_blanks", drop_blanks).ok();

std::string in_mixed_case(std::uint64_t number, unsigned spelling) {
  std::string key = key_of(number);
  for (std::size_t i = 0; i < key.size(); ++i) {
    if ((spelling >> i % 4 & 1) != 0) key[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[i])));
  }
  return key;
}
std::string with_suffix(std::uint64_t number, unsigned spelling) {
  return key_of(number) + std::string(8, static_cast<char>(0xfd + spelling));
}
std::string with_blanks(std::uint64_t number, unsigned spelling) {
  std::string key = key_of(number);
  return key.insert(11 + spelling, spelling, ' ');  // after the prefix
}

const std::vector<World>& worlds() {
  static const CanonicalComparator caseless("crivo-test.Caseless", lower_case);
  static const CanonicalComparator suffix("crivo-test.IgnoresSuffix", without_suffix);
  static const CanonicalComparator blanks("crivo-test.IgnoresBlanks", without_blanks);
  static const std::vector<World> all = {{"Caseless", &caseless, "lower_ascii", 11, in_mixed_case},
                                         {"IgnoredSuffix", &suffix, "drop_suffix:8", 11 + 8, with_suffix},
                                         {"IgnoredBlanks", &blanks, "crivo-test.drop_blanks", 11, with_blanks}};
  return all;
}

enum class Layout { kFull, kPartitioned, kPrefixes, kPrefixesAlone, kPartitionedPrefixes };
constexpr Layout kLayouts[] = {Layout::kFull, Layout::kPartitioned, Layout::kPrefixes, Layout::kPrefixesAlone,
                               Layout::kPartitionedPrefixes};
constexpr const char* kLayoutNames[] = {"Full", "Partitioned", "Prefixes", "PrefixesAlone", "PartitionedPrefixes"};

constexpr unsigned kSpellings = 4;
constexpr std::uint64_t kKeys = 500;

/// A database of the keys 0 to kKeys - 1. All keys were written in spelling 0, and then the first half in spelling 1.
class TransformTest : public ::testing::TestWithParam<std::tuple<World, Kind, Layout>> {
 protected:
  [[nodiscard]] static const World& world() { return std::get<0>(GetParam()); }
  [[nodiscard]] static Kind kind() { return std::get<1>(GetParam()); }

  [[nodiscard]] static Policy policy(const std::string& key_transform) {
    RocksDBFilterOptions options{.bits_per_key = 12, .kind = kind(), .key_transform = key_transform};
    if (kind() == Kind::kRibbon) options.bloom_before_level = -1;
    return NewRocksDBFilterPolicy(options);
  }
  [[nodiscard]] static rocksdb::Options options(const Policy& policy, rocksdb::BlockBasedTableOptions table = {}) {
    rocksdb::Options options = test_options();
    options.comparator = world().comparator;
    table.filter_policy = policy;
    const Layout layout = std::get<2>(GetParam());
    if (layout == Layout::kPartitioned || layout == Layout::kPartitionedPrefixes) {
      partition(table, 512);
    }
    if (layout == Layout::kPrefixes || layout == Layout::kPrefixesAlone || layout == Layout::kPartitionedPrefixes) {
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(world().prefix));
    }
    table.whole_key_filtering = layout != Layout::kPrefixesAlone;
    return with_table(options, table);
  }

  static void fill(rocksdb::DB& db) {
    for (std::uint64_t i = 0; i < kKeys; ++i) ASSERT_TRUE(db.Put({}, world().key(i, 0), "old").ok());
    ASSERT_TRUE(db.Flush({}).ok());
    for (std::uint64_t i = 0; i < kKeys / 2; ++i) ASSERT_TRUE(db.Put({}, world().key(i, 1), "new").ok());
    ASSERT_TRUE(db.Flush({}).ok());
  }
  /// The number of keys that Get or MultiGet does not find with their newest value, over all spellings.
  static std::uint64_t count_lost(rocksdb::DB& db) {
    std::uint64_t lost = 0;
    for (unsigned spelling = 0; spelling < kSpellings; ++spelling) {
      std::vector<std::string> keys;
      for (std::uint64_t i = 0; i < kKeys; ++i) keys.push_back(world().key(i, spelling));
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<std::string> values;
      const std::vector<rocksdb::Status> statuses = db.MultiGet({}, slices, &values);
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        const char* const newest = i < kKeys / 2 ? "new" : "old";
        std::string value;
        lost += !db.Get({}, slices[i], &value).ok() || value != newest;
        lost += !statuses[i].ok() || values[i] != newest;
      }
    }
    return lost;
  }
  static std::uint64_t count_lost_by_seek(rocksdb::DB& db) {
    std::uint64_t lost = 0;
    for (std::uint64_t i = 0; i < kKeys; i += 7) {
      const std::string key = world().key(i, 2);
      const std::unique_ptr<rocksdb::Iterator> iterator(db.NewIterator({}));
      iterator->Seek(key);
      lost += !iterator->Valid() || world().comparator->Compare(iterator->key(), key) != 0;
    }
    return lost;
  }
  /// The number of reads that filters saved, of 1,000 absent keys.
  static std::uint64_t spared(rocksdb::DB& db, const rocksdb::Options& options) {
    // RocksDB 9 has another ticker for filters that have only prefixes.
    const auto useful = [&] {
      return filter_useful(options) + options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
    };
    const std::uint64_t before = useful();
    std::string value;
    for (std::uint64_t i = kKeys; i < kKeys + 1000; ++i) {
      EXPECT_TRUE(db.Get({}, world().key(i, static_cast<unsigned>(i) % kSpellings), &value).IsNotFound());
    }
    return useful() - before;
  }
};

class TransformChangeTest : public TransformTest {};

TEST_P(TransformTest, EveryKeyIsFoundUnderEverySpellingAndAbsentOnesAreFiltered) {
  const rocksdb::Options options = TransformTest::options(policy(world().key_transform));
  ScratchDatabase db(options);
  fill(*db);
  for (const char* state : {"two files", "one file", "reopened"}) {
    SCOPED_TRACE(state);
    EXPECT_EQ(count_lost(*db), 0U);
    EXPECT_EQ(count_lost_by_seek(*db), 0U);
    EXPECT_GT(spared(*db, options), 950U);
    if (state == std::string("two files")) rewrite_files(*db);
    if (state == std::string("one file")) db.reopen(options);
  }
}

// Without a transform, and with RocksDB's own policies, filters lose keys. Such files are harmless once the policy has
// the transform, and a compaction gives them filters that work.
TEST_P(TransformChangeTest, FiltersOfUntransformedKeysAreNotBelieved) {
  for (const Policy& raw : {policy("none"), builtin_bloom()}) {
    SCOPED_TRACE(raw->GetId());
    ScratchDatabase db(options(raw));
    fill(*db);
    EXPECT_GT(count_lost(*db), kKeys);
    const rocksdb::Options options = TransformTest::options(policy(world().key_transform));
    db.reopen(options);
    EXPECT_EQ(count_lost(*db), 0U);
    EXPECT_EQ(count_lost_by_seek(*db), 0U);
    EXPECT_EQ(spared(*db, options), 0U);
    rewrite_files(*db);
    EXPECT_EQ(count_lost(*db), 0U);
    EXPECT_GT(spared(*db, options), 950U);
  }
}

// Readers in a block cache belong to the policy that parsed them. Another policy may use them for the same file later.
TEST_P(TransformChangeTest, FiltersInACacheThatOutlivesTheDatabaseAreNotBelieved) {
  const std::string transform = world().key_transform;
  const std::vector<std::pair<Policy, Policy>> changes{
      {policy("none"), policy(transform)},          {builtin_bloom(), policy(transform)},
      {builtin_ribbon(), policy(transform)},        {policy("drop_suffix:1"), policy(transform)},
      {policy(transform), policy("none")},          {policy(transform), builtin_bloom()},
      {policy("none"), policy("crivo-test.nosuch")}};
  for (const auto& [before, after] : changes) {
    for (const bool prepopulated : {false, true}) {
      SCOPED_TRACE(before->GetId() + " to " + after->GetId() + (prepopulated ? ", from the flush" : ""));
      rocksdb::BlockBasedTableOptions table;
      table.block_cache = rocksdb::NewLRUCache(32 << 20);
      table.cache_index_and_filter_blocks = true;
      using Prepopulate = rocksdb::BlockBasedTableOptions::PrepopulateBlockCache;
      table.prepopulate_block_cache = prepopulated ? Prepopulate::kFlushOnly : Prepopulate::kDisable;
      ScratchDatabase db(options(before, table));
      fill(*db);
      (void)count_lost(*db);  // caches the filters
      db.close();
      // DB::Open rejects an unknown transform, but OpenForReadOnly does not.
      rocksdb::DB* reopened = nullptr;
      ASSERT_TRUE(rocksdb::DB::OpenForReadOnly(options(after, table), db.path(), &reopened).ok());
      const std::unique_ptr<rocksdb::DB> owner(reopened);
      EXPECT_EQ(count_lost(*reopened), 0U);
      EXPECT_EQ(count_lost_by_seek(*reopened), 0U);
    }
  }
}

using ::testing::Combine;
using ::testing::Values;
using ::testing::ValuesIn;

std::string case_label(const ::testing::TestParamInfo<TransformTest::ParamType>& param_info) {
  const auto& [world, kind, layout] = param_info.param;
  return world.label + (kind == Kind::kBlocked ? "Bloom" : "Ribbon") + kLayoutNames[static_cast<int>(layout)];
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, TransformTest,
                         Combine(ValuesIn(worlds()), Values(Kind::kBlocked), Values(Layout::kFull)), case_label);
INSTANTIATE_TEST_SUITE_P(RocksdbRibbon, TransformTest,
                         Combine(Values(worlds()[1]), Values(Kind::kRibbon), ValuesIn(kLayouts)), case_label);
INSTANTIATE_TEST_SUITE_P(Rocksdb, TransformChangeTest,
                         Combine(Values(worlds()[2]), Values(Kind::kBlocked), Values(Layout::kFull)), case_label);
INSTANTIATE_TEST_SUITE_P(RocksdbRibbon, TransformChangeTest,
                         Combine(Values(worlds()[0]), Values(Kind::kRibbon), Values(Layout::kPartitionedPrefixes)),
                         case_label);

}  // namespace
}  // namespace crivo::testing
