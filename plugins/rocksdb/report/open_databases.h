// The open databases that have Crivo's listener, and the counters of all policies of the process.
//
// A closing database closes its logger last. A later write to the logger would write to a closed file. Policies usually
// outlive their databases, so a policy cannot store a logger for later, not even by std::shared_ptr. No event announces
// the closing of a database. But before it closes the logger, the database deletes its handle of the default column
// family, and all versions from 7.0 to 11.8 notify listeners of this deletion. The notification does not name the
// database, but the notifications of flushes and compactions do. At the first flush or compaction, the listener
// registers the handle and the logger here. When the handle is deleted, the listener removes both.
//
// RocksDB passes the database's logger to a policy with each request for a builder. Counters store the logger's
// address, only to find the policies that a closing database has used.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/counters.h"
#include "report/filter_tree.h"

namespace crivo::plugin {

struct OpenDatabase {
  const rocksdb::ColumnFamilyHandle* default_family;
  std::shared_ptr<rocksdb::Logger> log;
  std::string folder;
  std::shared_ptr<FilterTree> tree;
  std::shared_ptr<rocksdb::Statistics> statistics;
};

/// Registers the database unless it is registered, and returns its file list. Null if the database has no
/// handle or no logger. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<FilterTree> register_database(rocksdb::DB& db);
/// Removes and returns the database whose default column family has this handle; no value if it is not registered.
[[nodiscard]] std::optional<OpenDatabase> remove_database(const rocksdb::ColumnFamilyHandle* handle);

/// Counters for a policy of this name. They are logged when a database of the policy closes. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Counters> new_counters(std::string_view policy_name);

/// The counters of all policies of the process, by sequence number.
[[nodiscard]] std::vector<std::shared_ptr<Counters>> all_counters();
/// The folder of the database with this logger; empty without a listener.
[[nodiscard]] std::string folder_of(const rocksdb::Logger* log);
/// The file list of a database with this logger; null without a listener. If several databases share the logger, the
/// list of the database on which this thread works (begin_work, begin_refiltering).
[[nodiscard]] std::shared_ptr<FilterTree> filter_tree_of(const rocksdb::Logger* log);
[[nodiscard]] std::shared_ptr<FilterTree> filter_tree_of(rocksdb::DB& db);
struct TreeOfFolder {
  std::string folder;
  std::shared_ptr<FilterTree> tree;
};
[[nodiscard]] std::vector<TreeOfFolder> all_filter_trees();

/// Sets this thread's database, by its tree (may be null), and the job of its running flush; 0 if it runs none.
void begin_work(const std::shared_ptr<FilterTree>& tree, int flush_job = 0) noexcept;
/// The job of the flush that this thread runs; 0 if it runs none.
[[nodiscard]] int flush_job_of_thread() noexcept;
/// This thread's flush has finished the file of this column family, or failed to write it. Throws std::bad_alloc.
void end_writing_of_thread(const std::string& family);
/// This thread's flush has failed.
void cancel_flush_of_thread() noexcept;
/// Between these two calls, this thread refilters the database with this tree.
void begin_refiltering(const std::shared_ptr<FilterTree>& tree) noexcept;
void end_refiltering() noexcept;
/// Whether this thread is refiltering.
[[nodiscard]] bool is_refiltering() noexcept;

}  // namespace crivo::plugin
