// A database closes its logger itself, as the last thing it does, and writing to a closed logger is writing to a closed
// file. A policy mostly outlives its databases, so it cannot keep a logger for later, not even by std::shared_ptr. And
// no event says that a database closes. But just before, with its logger still open, it deletes its handle of the
// default column family, and of that the listeners are told in every version from 7.0 to 11.8. They are not told which
// database the handle belongs to. Flushes and compactions say that: at the first one the listener notes the handle and
// the logger, and it forgets both when the handle is deleted, after it has written the lines.
//
// Which policies a database has had work for is known from the logger that RocksDB gives to each builder. Counters keep
// its address, which is compared with that of the closing database's logger and never used otherwise.
#include "report/counter_log.h"

#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace crivo::plugin {
namespace {

struct OpenDatabase {
  const rocksdb::ColumnFamilyHandle* default_family;
  std::shared_ptr<rocksdb::Logger> log;
  std::string folder;
};

/// What the listeners of all databases share. It is never destroyed, because databases may be closed after our static
/// objects are gone.
struct Registry {
  std::mutex mutex;
  std::vector<OpenDatabase> databases;
  std::vector<std::weak_ptr<Counters>> counters;
  std::uint64_t made = 0;
};

Registry& registry() {
  static auto* const made = new Registry;
  return *made;
}

/// Forgets the database whose default column family has this handle, and returns its logger; null if no flush or
/// compaction has shown us this database.
std::shared_ptr<rocksdb::Logger> forget(const rocksdb::ColumnFamilyHandle* handle) {
  const std::lock_guard lock(registry().mutex);
  auto& databases = registry().databases;
  const auto found = std::ranges::find(databases, handle, &OpenDatabase::default_family);
  if (found == databases.end()) return nullptr;
  auto log = std::move(found->log);
  databases.erase(found);
  return log;
}

}  // namespace

std::vector<std::shared_ptr<Counters>> all_counters() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::shared_ptr<Counters>> alive;
  for (const auto& each : registry().counters) {
    if (auto counters = each.lock(); counters != nullptr) alive.push_back(std::move(counters));
  }
  return alive;
}

std::string folder_of(const rocksdb::Logger* log) {
  const std::lock_guard lock(registry().mutex);
  for (const OpenDatabase& each : registry().databases) {
    if (each.log.get() == log) return each.folder;
  }
  return {};
}

void leave_out(const Counters& counters) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().counters, [&](const auto& each) { return each.lock().get() == &counters; });
}

std::shared_ptr<Counters> new_counters(std::string_view policy_name) {
  const std::lock_guard lock(registry().mutex);
  auto made = std::make_shared<Counters>(policy_name, ++registry().made);
  std::erase_if(registry().counters, [](const auto& each) { return each.expired(); });
  registry().counters.push_back(made);
  return made;
}

void log_damages(Counters& counters, rocksdb::Logger* log) {
  for (const std::string& line : counters.take_damages()) {
    rocksdb::Warn(log, "%s: %s", counters.policy_name().c_str(), line.c_str());
  }
}

void log_counters(Counters& counters, std::string_view families, rocksdb::Logger* log) {
  log_damages(counters, log);
  const std::string line =
      counters.policy_name() + " [" + std::string(families) + "]: " + counters_text(counters.snapshot());
  rocksdb::Info(log, "%s", line.c_str());
  rocksdb::LogFlush(log);
}

bool CounterListener::is_one_of(std::string_view names) noexcept {
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t colon = std::min(names.find(':', from), names.size());
    if (names.substr(from, colon - from) == kName) return true;
    from = colon + 1;
  }
  return false;
}

void CounterListener::meet(rocksdb::DB& db) noexcept try {
  const rocksdb::ColumnFamilyHandle* const handle = db.DefaultColumnFamily();
  const auto met = [&] { return std::ranges::count(registry().databases, handle, &OpenDatabase::default_family) != 0; };
  {
    const std::lock_guard lock(registry().mutex);
    if (met()) return;
  }
  auto log = db.GetDBOptions().info_log;  // takes the database's mutex, so not under ours
  std::string folder = db.GetName();
  const std::lock_guard lock(registry().mutex);
  if (handle != nullptr && log != nullptr && !met())
    registry().databases.push_back({handle, std::move(log), std::move(folder)});
} catch (...) {
  // The next flush tries again, and if none succeeds the database closes without our lines in its log.
}

void CounterListener::OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) try {
  const auto log = forget(handle);
  if (log == nullptr) return;
  for (const auto& counters : all_counters()) {
    const std::string families = counters->take_families(log.get());
    if (!families.empty()) log_counters(*counters, families, log.get());
  }
} catch (...) {
  // No memory for a line in the log, or the logger threw.
}

}  // namespace crivo::plugin
