// Shared by this suite: scratch databases, keys, policies, and a check that a filter is used.
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
#include "disk.h"
#include "matchers.h"
#include "open_into.h"
#include "temp_folder.h"

namespace crivo::plugin {}  // namespace crivo::plugin

namespace crivo::testing {

using namespace plugin;

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

/// Sixteen hexadecimal digits of a permutation of the numbers, in random order, so that every file spans all keys.
[[nodiscard]] std::string key_of(std::uint64_t number);

/// Crivo's policies. The ribbon policies write ribbons at every level.
[[nodiscard]] Policy crivo_bloom(double bits_per_key = 10);
[[nodiscard]] Policy crivo_ribbon(double bits_per_key = 10);
[[nodiscard]] Policy crivo_auto(double bits_per_key = 10);
[[nodiscard]] Policy builtin_bloom(double bits_per_key = 10);
[[nodiscard]] Policy builtin_ribbon(double bits_per_key = 10);

/// A policy from an option string, such as "crivo.Bloom:10".
[[nodiscard]] Policy policy_from_string(const std::string& text);

/// Table options from an option string, such as "filter_policy=crivo.Auto;partition_filters=true".
[[nodiscard]] rocksdb::BlockBasedTableOptions table_from_string(const std::string& text);

/// A policy that is tested for the promises of all policies of its kind.
struct PolicyMaker {
  std::string label;  // part of the names of tests
  std::string name;   // RocksDB's name of the policy
  Policy (*make)(double bits_per_key);
};
void PrintTo(const PolicyMaker& policy, std::ostream* out);
[[nodiscard]] std::vector<PolicyMaker> our_policies();
[[nodiscard]] std::vector<PolicyMaker> builtin_policies();

/// Options that have a statistics object, create the database, and disable automatic compactions.
[[nodiscard]] rocksdb::Options test_options();
[[nodiscard]] rocksdb::Options with_table(rocksdb::Options options, const rocksdb::BlockBasedTableOptions& table);
[[nodiscard]] rocksdb::Options with_policy(rocksdb::Options options, const Policy& policy);

/// Partitions filters and indexes into parts of about this number of bytes.
void partition(rocksdb::BlockBasedTableOptions& table, std::size_t bytes);
/// Options with all changes of ConfigureRocksDB.
[[nodiscard]] rocksdb::Options configured(const RocksDBFilterOptions& filter,
                                          rocksdb::Options options = test_options());

/// Opens the database, with its families if there are handles for them, or fails the test.
[[nodiscard]] std::unique_ptr<rocksdb::DB> open_database(
    const rocksdb::Options& options, const std::string& path,
    const std::vector<rocksdb::ColumnFamilyDescriptor>& families = {},
    std::vector<rocksdb::ColumnFamilyHandle*>* handles = nullptr);

/// A database in a temporary folder, which it removes in its destructor.
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

/// Opens a database in a temporary folder, removes it, and returns the status.
[[nodiscard]] rocksdb::Status try_to_open(const rocksdb::Options& options);

/// A column family whose handle must be destroyed before its database.
using Family = std::unique_ptr<rocksdb::ColumnFamilyHandle, std::function<void(rocksdb::ColumnFamilyHandle*)>>;
[[nodiscard]] Family create_family(rocksdb::DB& db, const rocksdb::ColumnFamilyOptions& options,
                                   const std::string& name = "other");

/// Puts the keys begin to end - 1, with each key as its own value, and flushes them to one file.
void put_keys(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end, rocksdb::ColumnFamilyHandle* family = nullptr);

/// The number of these keys that are not found. Ignores errors other than NotFound, because they lose no key.
[[nodiscard]] std::uint64_t count_not_found(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end);
/// Does this by MultiGet, 40 keys at a time (RocksDB splits batches at 32).
[[nodiscard]] std::uint64_t count_not_found_by_multiget(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end);

/// The properties of all files, and the total size of their filters.
[[nodiscard]] rocksdb::TablePropertiesCollection table_properties(rocksdb::DB& db,
                                                                  rocksdb::ColumnFamilyHandle* family = nullptr);
[[nodiscard]] std::uint64_t filter_bytes(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family = nullptr);

[[nodiscard]] std::vector<rocksdb::LiveFileMetaData> live_files(rocksdb::DB& db);

/// Rewrites every file, into the folder with this number.
void rewrite_files(rocksdb::DB& db, int path_id = -1);

/// The options from the database's own OPTIONS file.
[[nodiscard]] rocksdb::Options loaded_options(const std::string& path);

/// The number of lookups that a filter ended with "no".
[[nodiscard]] std::uint64_t filter_useful(const rocksdb::Options& options);

/// RocksDB does not report a missing filter, so every test calls this. It checks that each file has the policy's name
/// and filter entries, that absent keys are filtered, and that present keys are found.
void expect_filters_at_work(rocksdb::DB& db, const rocksdb::Options& options, std::uint64_t keys,
                            const std::string& name = "crivo.Bloom");

/// The location of a filter block of Crivo in an SST file.
struct Extent {
  std::size_t offset;
  std::size_t size;
  Kind kind;
};
/// All filter blocks of Crivo in an SST file. A block is found by its trailer (docs/format.md) if it opens.
[[nodiscard]] std::vector<Extent> filter_blocks(const std::string& file);

/// Damages a byte of each filter block of Crivo in an SST file.
void damage_filters(const std::string& path);

/// A builder or a reader from Crivo's policy, requested as RocksDB does.
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  const rocksdb::BlockBasedTableOptions& table = {});
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  const rocksdb::FilterBuildingContext& context);
[[nodiscard]] std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                                  rocksdb::Logger* log);
[[nodiscard]] std::unique_ptr<abi::FilterBitsReader> new_reader(const rocksdb::FilterPolicy& policy,
                                                                const rocksdb::Slice& contents);
/// The finished filter block: of the keys that were added, or also of the keys begin to end - 1.
[[nodiscard]] std::string finish(abi::FilterBitsBuilder& builder);
[[nodiscard]] std::string build_block(abi::FilterBitsBuilder& builder, std::uint64_t begin, std::uint64_t end);

void write_bytes(const std::string& path, const std::string& bytes);
/// The SST files of a database, by path.
[[nodiscard]] std::vector<std::string> sst_files(const std::string& path);

}  // namespace crivo::testing

/// Runs a suite for the two kinds that RocksDB uses. The parameter is the kind.
#define CRIVO_FOR_BOTH_KINDS(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Rocksdb, Suite, ::testing::Values(Kind::kBlocked, Kind::kRibbon), \
                           [](const auto& tested) { return std::string(kind_name(tested.param)); })
