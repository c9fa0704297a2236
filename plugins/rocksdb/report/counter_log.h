// Writes counters into the info log of a database: when it closes, and on request.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/counters.h"
#include "report/filter_tree.h"

namespace crivo::plugin {

/// Whether one of these listeners or collectors is of our class Ours.
template <typename Ours, typename Objects>
[[nodiscard]] bool has(const Objects& objects) {
  return std::ranges::any_of(objects,
                             [](const auto& each) { return each != nullptr && each->IsInstanceOf(Ours::kName); });
}

/// Counters for a policy of this name. They are logged when a database of the policy closes. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Counters> new_counters(std::string_view policy_name);

/// The counters of all policies of the process, by sequence number.
[[nodiscard]] std::vector<std::shared_ptr<Counters>> all_counters();
/// The folder of the database with this logger; empty without a listener.
[[nodiscard]] std::string folder_of(const rocksdb::Logger* log);
/// The files of a database with this logger; null without a listener. If several databases share the logger: the one
/// for which this thread flushes or compacts.
[[nodiscard]] std::shared_ptr<FilterTree> filter_tree_of(const rocksdb::Logger* log);
[[nodiscard]] std::shared_ptr<FilterTree> filter_tree_of(rocksdb::DB& db);
struct TreeOfFolder {
  std::string folder;
  std::shared_ptr<FilterTree> tree;
};
[[nodiscard]] std::vector<TreeOfFolder> all_filter_trees();

/// Between these two calls, this thread refilters this database.
void begin_refiltering(const std::shared_ptr<FilterTree>& tree) noexcept;
void end_refiltering() noexcept;
/// Whether this thread is refiltering.
[[nodiscard]] bool is_refiltering() noexcept;

/// Logs a line per damaged block found since the last call.
void log_damages(Counters& counters, rocksdb::Logger* log);

/// Logs the counters in one line, after log_damages.
void log_counters(Counters& counters, std::string_view families, rocksdb::Logger* log);

/// Logs RocksDB's statistics about Gets as a line of JSON after kGetsLine, for `crivo sst advise`. Logs nothing if
/// `statistics` is null.
void log_gets(const rocksdb::Statistics* statistics, rocksdb::Logger* log);
inline constexpr std::string_view kGetsLine = "crivo.gets ";

/// See NewRocksDBFilterListener in crivo/rocksdb.h.
class CounterListener final : public rocksdb::EventListener {
 public:
  static constexpr const char* kName = "crivo.FilterCounters";

  /// name: from an OPTIONS file. FilterPolicy::ValidateOptions rejects an unknown one.
  explicit CounterListener(const std::string& name = kName) : name_(is_one_of(name) ? kName : name) {
    RegisterOptions(kName, &name_, nullptr);
  }

  /// The files of a database with this listener. Registers the database here if necessary. Null if the database has no
  /// handle or no logger. Throws std::bad_alloc.
  static std::shared_ptr<FilterTree> introduced(rocksdb::DB& db);

  const char* Name() const override { return name_.c_str(); }
  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo&) override { meet(*db, 0); }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo&) override { meet(*db, 0); }
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo&) override { meet(*db, 0); }
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& compaction) override {
    meet(*db, compaction.input_file_infos.size());
  }
  void OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) override;

 private:
  /// RocksDB serializes several listeners as FIRST:SECOND, and then creates one with this whole name.
  static bool is_one_of(std::string_view names) noexcept;
  /// inputs: the number of files that a compaction reads.
  static void meet(rocksdb::DB& db, std::size_t inputs) noexcept;

  std::string name_;
};

}  // namespace crivo::plugin
