// The listener of a database. It lists the database's files for max_total_bytes, and logs the counters when the
// database closes. Also the functions that log counters on request.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/counters.h"
#include "report/open_databases.h"

namespace crivo::plugin {

/// Whether one of these listeners or collectors is of Crivo's class Ours.
template <typename Ours, typename Objects>
[[nodiscard]] bool has(const Objects& objects) {
  return std::ranges::any_of(objects,
                             [](const auto& each) { return each != nullptr && each->IsInstanceOf(Ours::kName); });
}

/// Removes the listeners or collectors of this class.
template <typename Ours, typename Objects>
void remove(Objects& objects) {
  std::erase_if(objects, [](const auto& each) { return each != nullptr && each->IsInstanceOf(Ours::kName); });
}

/// Logs the lines of drain_damages().
void log_damages(Counters& counters, rocksdb::Logger* log);

/// Calls log_damages, and then logs the counters and the column families in one line.
void log_counters(Counters& counters, std::string_view families, rocksdb::Logger* log);

/// Logs kGetsLine, and RocksDB's counts of Gets as JSON, for `crivo sst advise`. Logs nothing if `statistics` is null.
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

  const char* Name() const override { return name_.c_str(); }
  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& flush) override { update(*db, 0, flush.job_id); }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& flush) override { update(*db, 0, 0, &flush); }
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& file) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status*) override { cancel_flush_of_thread(); }
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo&) override { update(*db, 0); }
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& compaction) override {
    update(*db, compaction.input_file_infos.size());
  }
  void OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) override;

 private:
  /// Whether the names include kName. RocksDB serializes several listeners as FIRST:SECOND, and reads this as one name.
  static bool is_one_of(std::string_view names) noexcept;
  /// Registers the database, and lists its files if a policy has max_total_bytes. inputs: the number of files that a
  /// beginning compaction reads, or 0. begun_job: the job of a beginning flush, or 0. ended: a flush that has ended;
  /// may be null.
  static void update(rocksdb::DB& db, std::size_t inputs, int begun_job = 0,
                     const rocksdb::FlushJobInfo* ended = nullptr) noexcept;

  std::string name_;
};

}  // namespace crivo::plugin
