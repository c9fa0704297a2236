// Additional operations of db_stress. They compare scans with and without scan filters, look up prefixes, and verify
// and replace the filters of the database while it is written and killed. `build` inserts the calls.
#include <optional>

#include "crivo/rocksdb_refilter.h"
#include "crivo/rocksdb_scan.h"
#include "crivo/rocksdb_verify.h"
#include "db_stress_tool/db_stress_common.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// The rows at the snapshot whose keys have the prefix, or nothing after an error, because db_stress injects errors.
std::optional<Rows> scan(DB& db, ColumnFamilyHandle* family, const std::string& prefix, const Snapshot* snapshot,
                         bool with_filters) {
  const crivo::ScanFilter filter = crivo::ScanFilter::for_prefix(prefix);
  std::string end = prefix;
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) ++end.back();
  const Slice upper = end;
  ReadOptions read;
  read.snapshot = snapshot;
  read.total_order_seek = true;
  if (!end.empty()) read.iterate_upper_bound = &upper;
  if (with_filters && !filter.apply_to(&read).ok()) return std::nullopt;
  const std::unique_ptr<Iterator> at(db.NewIterator(read, family));
  Rows rows;
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    rows.emplace_back(at->key().ToString(), at->value().ToString());
  }
  if (!at->status().ok()) return std::nullopt;
  return rows;
}

void fail(ThreadState& thread, const std::string& what, const std::string& prefix) {
  fprintf(stderr, "crivo: %s, prefix %s\n", what.c_str(), Slice(prefix).ToString(true).c_str());
  thread.shared->SetVerificationFailure();
}

/// A scan with filters must match the scan before it and the scan after it. If those differ, RocksDB has a bug.
void compare_scans(ThreadState& thread, DB& db, ColumnFamilyHandle* family, const std::string& prefix) {
  const Options options = db.GetOptions(family);
  if (options.inplace_update_support || options.unordered_write) return;  // writes change what a snapshot shows
  ManagedSnapshot snapshot(&db);
  const auto before = scan(db, family, prefix, snapshot.snapshot(), false);
  const auto with = scan(db, family, prefix, snapshot.snapshot(), true);
  const auto after = scan(db, family, prefix, snapshot.snapshot(), false);
  if (!before || !with || !after || *with == *before || *with == *after) return;
  const bool agree = *before == *after;
  const std::string text = "a scan with filters finds " + std::to_string(with->size()) +
                           " rows, the scans before and after it " + std::to_string(before->size()) + " and " +
                           std::to_string(after->size());
  if (agree)
    fail(thread, text, prefix);
  else
    printf("crivo: RocksDB's scans of a snapshot differ: %s\n", text.c_str());  // standard error would fail the run
}

bool has_key(DB& db, ColumnFamilyHandle* family, const std::string& key) {
  std::string value;
  return db.Get(ReadOptions(), family, key, &value).ok();
}

/// Other threads may delete the key and insert it again at any time, but hardly five times around a lookup.
void look_up_prefix(ThreadState& thread, DB& db, ColumnFamilyHandle* family, const std::string& key,
                    const std::string& prefix) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (!has_key(db, family, key) || crivo::PrefixMayExist(db, family, prefix) || !has_key(db, family, key)) return;
  }
  fail(thread, "PrefixMayExist denies the prefix of a key", prefix);
}

/// Turns the injection of errors off and on for this thread. An injected error would make a file unreadable, which
/// replace_filters could not distinguish from damage. RocksDB 7.8 injects no errors into these reads.
void inject_errors([[maybe_unused]] bool on) {
#if ROCKSDB_MAJOR >= 9
  if (fault_fs_guard == nullptr) return;
  on ? fault_fs_guard->EnableAllThreadLocalErrorInjection() : fault_fs_guard->DisableAllThreadLocalErrorInjection();
#endif
}

void replace_filters(ThreadState& thread, DB& db, ColumnFamilyHandle* family) {
  inject_errors(false);
  const auto replaced = crivo::RefilterRocksDB(db, {.column_families = {family}});
  if (replaced.status.IsCorruption()) fail(thread, "RefilterRocksDB: " + replaced.status.ToString(), "");
  for (const crivo::RocksDBFileFilter& file : crivo::VerifyRocksDBFilters(db, {family}).files) {
    if (file.damaged != 0) fail(thread, file.path + " has a damaged filter", "");
  }
  inject_errors(true);
}

}  // namespace

void CrivoOptions(Options& options) {
  std::shared_ptr<TablePropertiesCollectorFactory> factory;
  if (!crivo::NewScanFilterCollectorFactory({.extract = "prefix:6,7,8"}, &factory).ok()) abort();
  options.table_properties_collector_factories.push_back(factory);
}

void CrivoStep(ThreadState* thread, DB* db, ColumnFamilyHandle* family, const std::string& key) {
  if (FLAGS_user_timestamp_size > 0 || key.size() < 8) return;  // reads would need a timestamp
  const std::string prefix = key.substr(0, 6 + thread->rand.Uniform(3));
  if (thread->rand.OneIn(20)) compare_scans(*thread, *db, family, prefix);
  if (thread->rand.OneIn(20)) look_up_prefix(*thread, *db, family, key, prefix);
  if (thread->rand.OneIn(5000)) replace_filters(*thread, *db, family);
}

}  // namespace ROCKSDB_NAMESPACE
