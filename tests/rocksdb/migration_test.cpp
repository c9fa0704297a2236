// Migrates from RocksDB's filters to Crivo's and back, with partial compactions. Loses no key, and uses the new
// filters.
#include <rocksdb/convenience.h>

#include <algorithm>

#include "support.h"
#include "unsynced.h"

namespace crivo::testing {
namespace {

enum class Compaction : std::uint8_t { kNone, kLowerHalf, kUpperHalf, kAll };

struct Visit {
  std::string options;      // of the column family, such as "block_based_table_factory={filter_policy=crivo.Auto}"
  std::uint64_t keys = 0;   // present keys: key_of(0) to key_of(keys - 1)
  std::uint64_t added = 0;  // the number of keys that this visit adds
  Compaction compaction = Compaction::kNone;
};

struct Visited {
  std::uint64_t lost = 0;    // present keys that Get, MultiGet or a seek does not find
  std::uint64_t useful = 0;  // absent keys and prefixes for which a filter said no
  std::uint64_t absent = 0;  // absent keys and prefixes that were looked up
  std::uint64_t files = 0;
  std::uint64_t with_ours = 0;  // files with a filter block of Crivo
};

void require(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) throw std::runtime_error(what + ": " + status.ToString());
}

constexpr const char* kMiddle = "8";  // divides the keys, which are hexadecimal digits

/// Small files, so that each half of a database has its own files.
rocksdb::Options options_of(const std::string& text) {
  rocksdb::Options base = test_options();
  base.env = unsynced_env();
  base.target_file_size_base = 16 << 10;
  base.compression = rocksdb::kNoCompression;
  rocksdb::Options options;
  require(rocksdb::GetOptionsFromString(base, text, &options), text);
  return options;
}

/// With a prefix extractor, these seeks use the filters.
std::uint64_t count_not_sought(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t missing = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::string key = key_of(i);
    const std::unique_ptr<rocksdb::Iterator> forward(db.NewIterator({}));
    forward->Seek(key);
    missing += !forward->Valid() || forward->key() != key;
    const std::unique_ptr<rocksdb::Iterator> backward(db.NewIterator({}));
    backward->SeekForPrev(key);
    missing += !backward->Valid() || backward->key() != key;
  }
  return missing;
}

/// Writes two files: the lower half of the keys, and the upper half.
void put_halves(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  for (const bool upper : {false, true}) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::string key = key_of(i);
      if ((key >= kMiddle) == upper) require(db.Put({}, key, key), "Put");
    }
    require(db.Flush({}), "Flush");
  }
}

std::uint64_t count_lost(rocksdb::DB& db, std::uint64_t keys) {
  return count_not_found(db, 0, keys) + count_not_found_by_multiget(db, 0, keys) +
         count_not_sought(db, 0, std::min<std::uint64_t>(keys, 100));
}

void compact(rocksdb::DB& db, Compaction compaction) {
  if (compaction == Compaction::kNone) return;
  const rocksdb::Slice middle = kMiddle;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  require(db.CompactRange(options, compaction == Compaction::kUpperHalf ? &middle : nullptr,
                          compaction == Compaction::kLowerHalf ? &middle : nullptr),
          "CompactRange");
}

/// From 8, RocksDB has another ticker for filters of prefixes.
std::uint64_t count_useful(const rocksdb::Options& options) {
  return filter_useful(options) + options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

void count_files(rocksdb::DB& db, Visited& visited) {
  const auto files = live_files(db);
  visited.files = files.size();
  for (const auto& file : files) visited.with_ours += !filter_blocks(read_bytes(file.db_path + file.name)).empty();
}

Visited visit(const std::string& path, const Visit& visit) {
  const rocksdb::Options options = options_of(visit.options);
  Visited visited;
  const auto db = open_database(options, path);
  visited.lost = count_lost(*db, visit.keys);
  const std::uint64_t keys = visit.keys + visit.added;
  if (visit.added > 0) put_halves(*db, visit.keys, keys);
  compact(*db, visit.compaction);
  visited.lost += count_lost(*db, keys);
  const std::uint64_t before = count_useful(options);
  visited.absent = 1000;
  constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;
  if (count_not_found(*db, kAbsent, kAbsent + visited.absent) != visited.absent) {
    throw std::runtime_error("keys were found that nobody put");
  }
  visited.useful = count_useful(options) - before;
  count_files(*db, visited);
  return visited;
}

struct Layout {
  const char* label;
  const char* family;  // options of the column family
  const char* table;   // options of its table
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
  /// Opens the database with this policy, and expects every key, before and after adding keys and compacting.
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
                         ::testing::Combine(::testing::Values(our_policies()[1]),
                                            ::testing::Values(builtin_policies()[0]), ::testing::ValuesIn(kLayouts)),
                         migration_name);
INSTANTIATE_TEST_SUITE_P(RocksdbLong, Migration,
                         ::testing::Combine(::testing::ValuesIn(our_policies()),
                                            ::testing::Values(builtin_policies()[1]), ::testing::ValuesIn(kLayouts)),
                         migration_name);

}  // namespace
}  // namespace crivo::testing
