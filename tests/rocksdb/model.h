// A random walk performs a program's operations on a database, and compares the results with a std::map.
//
// A walk has a nature, which stays the same when the database is reopened (comparator, timestamps, compaction style),
// and a few sessions. A session is the database opened once, with policies and settings drawn from tables
// (model_session.cpp). A step is one row of the table of operations (model_walk.cpp). The first answer that differs
// from the map throws a Failure. The test then prints how to repeat the walk: CRIVO_MODEL_SEED=<seed>.
#pragma once

#include <rocksdb/slice_transform.h>

#include <functional>
#include <map>

#include "random_walk.h"
#include "support.h"

namespace crivo::testing::model {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Thrown if this version of RocksDB does not support an operation with these settings. The walk skips the step.
struct NotSupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void check(const rocksdb::Status& status, const std::string& what);

/// A policy that writes and reads the filters.
struct PolicyRow {
  std::string name;
  std::function<Policy()> make;
};
/// The policies that a walk uses in turn.
struct Policies {
  std::vector<PolicyRow> usual;
  std::vector<PolicyRow> for_case;  // for a comparator that ignores case: RocksDB's own policies would lose keys
};
/// Crivo's policies and RocksDB's own.
[[nodiscard]] Policies all_policies();
/// Only this policy, and no policy if the comparator ignores case.
[[nodiscard]] Policies only(const PolicyRow& policy);

/// The properties that stay the same for the whole walk.
struct Nature {
  const rocksdb::Comparator* comparator;
  bool ignores_case;
  bool timestamps;
  rocksdb::CompactionStyle compaction;
  bool dynamic_levels;
  std::size_t families;
};
[[nodiscard]] Nature draw_nature(Random& random);
[[nodiscard]] bool ignores_case(const rocksdb::Comparator& comparator);

enum class Transactions : std::uint8_t { kNone, kPessimistic, kOptimistic };

/// The settings of the database while it is open.
struct Session {
  Transactions transactions;
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyOptions> families;
  std::vector<std::string> names;  // of the drawn rows
};
[[nodiscard]] Session draw_session(const Nature& nature, const Policies& policies, Random& random);

/// The keys of a column family in RocksDB's order.
struct Order {
  const rocksdb::Comparator* comparator;
  bool operator()(const std::string& a, const std::string& b) const {
    return comparator->CompareWithoutTimestamp(a, false, b, false) < 0;
  }
};
using Contents = std::map<std::string, std::string, Order>;
using Model = std::vector<Contents>;  // indexed by the number of the column family

/// An open database: the walk's own, or a copy of it (a checkpoint, a secondary instance).
struct Opened {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;

  Opened() = default;
  Opened(Opened&& other) noexcept;
  Opened& operator=(Opened&& other) noexcept;
  ~Opened() { close(); }
  void close();
};

/// Keys of two to ten characters. About thirty share their first four characters. Only keys below kKeys may be present.
constexpr std::uint64_t kKeys = 2000;
[[nodiscard]] std::string key_text(std::uint64_t number);
/// The key, or another spelling that the comparator considers equal.
[[nodiscard]] std::string spelled(std::string key, const rocksdb::Comparator& comparator, Random& random);

/// The database to read, and the model with the expected answers.
struct Reading {
  const Opened& opened;
  const Model& model;
  rocksdb::ReadOptions options;
  Random& random;
};
/// Each function reads random keys, and throws a Failure for the first wrong answer.
void read_by_get(const Reading& reading, std::size_t keys);
void read_by_multiget(const Reading& reading);
void read_by_scan(const Reading& reading);
void read_by_seek(const Reading& reading);
void read_by_prefix(const Reading& reading);
/// Scans with a filter (crivo/rocksdb_scan.h), compared with scans without one.
void read_by_scan_filter(const Reading& reading);
/// Reads every key of the model, as many absent keys, and all keys in order.
void read_everything(const Reading& reading);
/// Calls one of these functions.
void read_somehow(const Reading& reading);

/// A collector for scan filters; rarely null.
[[nodiscard]] std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> draw_scan_collector(Random& random);
/// Counts over all scans with a filter in this process.
struct ScanCounts {
  std::uint64_t asked = 0;
  std::uint64_t skipped = 0;
  std::uint64_t found = 0;   // entries
  std::uint64_t denied = 0;  // prefixes that PrefixMayExist denied
};
[[nodiscard]] ScanCounts& scan_counts();

/// Counts over all walks of a test. A test whose walks did nothing proves nothing.
struct Tally {
  std::map<std::string, std::uint64_t> rows;  // how often each row of a table was used
  std::uint64_t walks = 0;
  std::uint64_t walks_with_useful_filters = 0;
  std::uint64_t useful = 0;
  bool tell = false;  // prints each step and each session to standard output
};

}  // namespace crivo::testing::model
