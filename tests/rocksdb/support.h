// What the suite shares: scratch databases, keys, policies, and the question whether a filter was really used.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "abi.h"
#include "crivo/rocksdb.h"
#include "matchers.h"
#include "open_into.h"
#include "temp_folder.h"

namespace crivo::plugin {}  // namespace crivo::plugin

namespace crivo::testing {

using namespace plugin;

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

/// Sixteen hexadecimal digits of a permutation of the numbers: in no order, so that every file spans all keys.
[[nodiscard]] std::string key_of(std::uint64_t number);

/// Policies of Crivo's. Those for ribbons write ribbons at every level.
[[nodiscard]] Policy crivo_bloom(double bits_per_key = 10);
[[nodiscard]] Policy crivo_ribbon(double bits_per_key = 10);
[[nodiscard]] Policy crivo_auto(double bits_per_key = 10);
[[nodiscard]] Policy builtin_bloom(double bits_per_key = 10);
[[nodiscard]] Policy builtin_ribbon(double bits_per_key = 10);

/// A policy from an option string, such as "crivo.Bloom:10".
[[nodiscard]] Policy policy_from_string(const std::string& text);

/// Table options from an option string, such as "filter_policy=crivo.Auto;partition_filters=true".
[[nodiscard]] rocksdb::BlockBasedTableOptions table_from_string(const std::string& text);

/// A policy that must keep the promises that all policies of its kind make.
struct PolicyMaker {
  std::string label;  // stands in the names of tests
  std::string name;   // RocksDB's
  Policy (*make)(double bits_per_key);
};
void PrintTo(const PolicyMaker& policy, std::ostream* out);
[[nodiscard]] std::vector<PolicyMaker> our_policies();
[[nodiscard]] std::vector<PolicyMaker> builtin_policies();

/// Options with a statistics object, that create the database and leave compaction to the test.
[[nodiscard]] rocksdb::Options test_options();
[[nodiscard]] rocksdb::Options with_table(rocksdb::Options options, const rocksdb::BlockBasedTableOptions& table);
[[nodiscard]] rocksdb::Options with_policy(rocksdb::Options options, const Policy& policy);

/// Filters and indexes in partitions of about so many bytes.
void partition(rocksdb::BlockBasedTableOptions& table, std::size_t bytes);
/// With all that ConfigureRocksDB sets.
[[nodiscard]] rocksdb::Options configured(const RocksDBFilterOptions& filter,
                                          rocksdb::Options options = test_options());

/// Opens the database, with the families if there are handles for them, or fails the test.
[[nodiscard]] std::unique_ptr<rocksdb::DB> open_database(
    const rocksdb::Options& options, const std::string& path,
    const std::vector<rocksdb::ColumnFamilyDescriptor>& families = {},
    std::vector<rocksdb::ColumnFamilyHandle*>* handles = nullptr);

/// A database in a folder of its own, which goes with it.
class ScratchDatabase {
 public:
  explicit ScratchDatabase(const rocksdb::Options& options) { reopen(options); }
  void reopen(const rocksdb::Options& options) {
    db_.reset();
    db_ = open_database(options, path());
  }
  void close() { db_.reset(); }
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] rocksdb::DB& operator*() const { return *db_; }
  [[nodiscard]] rocksdb::DB* operator->() const { return db_.get(); }

 private:
  TempFolder folder_;
  std::unique_ptr<rocksdb::DB> db_;
};

/// Opens a database in a folder of its own, says how it went, and removes it.
[[nodiscard]] rocksdb::Status try_to_open(const rocksdb::Options& options);

/// A column family whose handle goes before its database does.
using Family = std::unique_ptr<rocksdb::ColumnFamilyHandle, std::function<void(rocksdb::ColumnFamilyHandle*)>>;
[[nodiscard]] Family create_family(rocksdb::DB& db, const rocksdb::ColumnFamilyOptions& options,
                                   const std::string& name = "other");

/// Puts the keys begin to end - 1, the key being its own value, and flushes them into one file.
void put_keys(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end, rocksdb::ColumnFamilyHandle* family = nullptr);

/// How many of these keys are not found; errors other than NotFound fail nothing here, as a key is not lost by them.
[[nodiscard]] std::uint64_t count_not_found(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end);
/// The same by MultiGet, 40 at a time (RocksDB splits batches at 32).
[[nodiscard]] std::uint64_t count_not_found_by_multiget(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end);

/// The properties of all files, and how many bytes their filters have.
[[nodiscard]] rocksdb::TablePropertiesCollection table_properties(rocksdb::DB& db,
                                                                  rocksdb::ColumnFamilyHandle* family = nullptr);
[[nodiscard]] std::uint64_t filter_bytes(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family = nullptr);

[[nodiscard]] std::vector<rocksdb::LiveFileMetaData> live_files(rocksdb::DB& db);

/// Writes every file once more, into the folder of this number.
void rewrite_files(rocksdb::DB& db, int path_id = -1);

/// The options of the database's own file of them.
[[nodiscard]] rocksdb::Options loaded_options(const std::string& path);

/// How many times a filter said that a key is not there.
[[nodiscard]] std::uint64_t filter_useful(const rocksdb::Options& options);

/// RocksDB goes on in silence when a filter is missing, so every test asks this: each file has the policy's name and
/// filter entries, absent keys are filtered, present ones are found.
void expect_filters_at_work(rocksdb::DB& db, const rocksdb::Options& options, std::uint64_t keys,
                            const std::string& name = "crivo.Bloom");

/// A filter block of ours in an SST file.
struct Extent {
  std::size_t offset;
  std::size_t size;
  Kind kind;
};
/// All filter blocks of ours in an SST file: they are found wherever a trailer (docs/format.md) stands whose block
/// opens.
[[nodiscard]] std::vector<Extent> filter_blocks(const std::string& file);

/// Spoils a byte of each filter block of ours in an SST file.
void damage_filters(const std::string& path);

/// A builder or a reader, asked of our policy as RocksDB asks for them.
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  const rocksdb::BlockBasedTableOptions& table = {});
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  const rocksdb::FilterBuildingContext& context);
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  rocksdb::Logger* log);
[[nodiscard]] std::unique_ptr<abi::FilterBitsReader> new_reader(const rocksdb::FilterPolicy& policy,
                                                                const rocksdb::Slice& contents);
/// The finished filter block of the keys that were added, and of the keys begin to end - 1.
[[nodiscard]] std::string finish(abi::FilterBitsBuilder& builder);
[[nodiscard]] std::string build_block(abi::FilterBitsBuilder& builder, std::uint64_t begin, std::uint64_t end);

[[nodiscard]] std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);
/// The SST files of a database, by path.
[[nodiscard]] std::vector<std::string> sst_files(const std::string& path);

}  // namespace crivo::testing

/// Runs a suite with a Kind for parameter for the two kinds that RocksDB gets.
#define CRIVO_FOR_BOTH_KINDS(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Rocksdb, Suite, ::testing::Values(Kind::kBlocked, Kind::kRibbon), \
                           [](const auto& tested) { return std::string(kind_name(tested.param)); })
