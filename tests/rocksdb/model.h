// A random walk does with a database what programs do with theirs, and a std::map beside it says what must be there.
//
// A walk has a nature, which no reopening changes (comparator, timestamps, compaction style), and a few sessions: a
// session is the database as it is opened once, with policies and surroundings drawn from tables (model_session.cpp). A
// step of the walk is one row of the table of operations (model_walk.cpp). The first answer that differs from the map
// throws a Failure, and what the test then says repeats the walk: CRIVO_MODEL_SEED=<seed>.
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
/// Thrown where this RocksDB says that it does not do such a thing in such surroundings: the step is left out.
struct NotSupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void check(const rocksdb::Status& status, const std::string& what);

/// Who writes the filters and reads them.
struct PolicyRow {
  std::string name;
  std::function<Policy()> make;
};
/// The policies that take turns in a walk.
struct Policies {
  std::vector<PolicyRow> usual;
  std::vector<PolicyRow> for_case;  // where the comparator ignores case: RocksDB's own would lose keys
};
/// Crivo's policies and RocksDB's own.
[[nodiscard]] Policies all_policies();
/// This one only, and none where the comparator ignores case.
[[nodiscard]] Policies only(const PolicyRow& policy);

/// What stays as it is for the whole walk.
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
[[nodiscard]] constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

enum class Transactions : std::uint8_t { kNone, kPessimistic, kOptimistic };

/// The database as it is opened once.
struct Session {
  Transactions transactions;
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyOptions> families;
  std::vector<std::string> names;  // of the rows that were drawn
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
using Model = std::vector<Contents>;  // by the number of the column family

/// A database that is open: the walk's own, or one that came from it (a checkpoint, a secondary instance).
struct Opened {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;

  Opened() = default;
  Opened(Opened&& other) noexcept;
  Opened& operator=(Opened&& other) noexcept;
  ~Opened() { close(); }
  void close();
};

/// Keys of two to ten characters, of which about thirty share their first four. Those below kKeys may be there.
constexpr std::uint64_t kKeys = 2000;
[[nodiscard]] std::string key_text(std::uint64_t number);
/// The key, or another spelling of it if the comparator takes them for the same.
[[nodiscard]] std::string spelled(std::string key, const rocksdb::Comparator& comparator, Random& random);

/// What is asked, and what must be answered.
struct Reading {
  const Opened& opened;
  const Model& model;
  rocksdb::ReadOptions options;
  Random& random;
};
/// Each throws a Failure for the first wrong answer. What each asks for is drawn.
void read_by_get(const Reading& reading, std::size_t keys);
void read_by_multiget(const Reading& reading);
void read_by_scan(const Reading& reading);
void read_by_seek(const Reading& reading);
void read_by_prefix(const Reading& reading);
/// Scans with a filter (crivo/rocksdb_scan.h), and the same without.
void read_by_scan_filter(const Reading& reading);
/// Every key of the model, and as many that are not there; and all of them in order.
void read_everything(const Reading& reading);
/// One of the above.
void read_somehow(const Reading& reading);

/// A collector for scan filters; null now and then.
[[nodiscard]] std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> draw_scan_collector(Random& random);
/// What all scans with a filter have done in this process.
struct ScanCounts {
  std::uint64_t asked = 0;
  std::uint64_t skipped = 0;
  std::uint64_t found = 0;   // entries
  std::uint64_t denied = 0;  // prefixes that PrefixMayExist denied
};
[[nodiscard]] ScanCounts& scan_counts();

/// What the walks of a test have done together: a test that did nothing proves nothing.
struct Tally {
  std::map<std::string, std::uint64_t> rows;  // how often each row of a table was used
  std::uint64_t walks = 0;
  std::uint64_t walks_with_useful_filters = 0;
  std::uint64_t useful = 0;
  bool tell = false;  // each step and each session, on standard output
};

/// Walks once and throws a Failure with everything that is needed to repeat it.
void walk(std::uint64_t seed, const Policies& policies, Tally& tally);

}  // namespace crivo::testing::model
