// A closing database closes its logger last. A later write to the logger would write to a closed file. Policies usually
// outlive their databases, so a policy cannot store a logger for later, not even by std::shared_ptr. No event announces
// the closing of a database. But just before, with its logger still open, the database deletes its handle of the
// default column family, and all versions from 7.0 to 11.8 notify listeners of that. The notification does not name the
// database. Flushes and compactions do: at the first one, the listener records the handle and the logger. It logs and
// forgets both when the handle is deleted.
//
// The policies that a database used are known from the logger that RocksDB passes to each builder. Counters store its
// address, which is only compared with that of the closing database's logger.
#include "report/counter_log.h"

#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "crivo/host/text.h"
#include "options/settings.h"

namespace crivo::plugin {
namespace {

struct OpenDatabase {
  const rocksdb::ColumnFamilyHandle* default_family;
  std::shared_ptr<rocksdb::Logger> log;
  std::string folder;
  std::shared_ptr<FilterTree> tree;
  std::shared_ptr<rocksdb::Statistics> statistics;
};

/// The tree of the database for which this thread flushes, compacts or refilters: it selects among databases that share
/// a logger. RocksDB announces each of these operations, so a stale value is never used.
thread_local std::weak_ptr<FilterTree> at_work;
thread_local bool refilters = false;

/// Shared by the listeners of all databases. Never destroyed, because databases may be closed after our static objects
/// are gone.
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

/// The database for which `is_it` holds; null if there is none. Requires the mutex.
template <typename IsIt>
const OpenDatabase* find(const IsIt& is_it) {
  const auto found = std::ranges::find_if(registry().databases, is_it);
  return found != registry().databases.end() ? &*found : nullptr;
}

/// Removes and returns the database whose default column family has this handle; no value if no flush or compaction has
/// registered it.
std::optional<OpenDatabase> forget(const rocksdb::ColumnFamilyHandle* handle) {
  const std::lock_guard lock(registry().mutex);
  auto& databases = registry().databases;
  const auto found = std::ranges::find(databases, handle, &OpenDatabase::default_family);
  if (found == databases.end()) return std::nullopt;
  OpenDatabase database = std::move(*found);
  databases.erase(found);
  return database;
}

void log_total(const FilterTree::Total& total, rocksdb::Logger* log) {
  if (total.max_total_bytes == 0) return;
  const std::string line = "crivo: max_total_bytes is " + std::to_string(total.max_total_bytes) + "; the filters of " +
                           std::to_string(total.keys) + " keys in " + std::to_string(total.files) + " files have " +
                           std::to_string(total.bytes);
  rocksdb::Info(log, "%s", line.c_str());
}

/// The files of the only database for which `is_it` holds; null if there is none, or several.
template <typename IsIt>
std::shared_ptr<FilterTree> the_tree(const IsIt& is_it) {
  const std::lock_guard lock(registry().mutex);
  if (std::ranges::count_if(registry().databases, is_it) != 1) return nullptr;
  return find(is_it)->tree;
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
  const OpenDatabase* const found = find([&](const OpenDatabase& each) { return each.log.get() == log; });
  return found != nullptr ? found->folder : "";
}

std::shared_ptr<FilterTree> filter_tree_of(const rocksdb::Logger* log) {
  const auto has_log = [&](const OpenDatabase& each) { return each.log.get() == log; };
  if (auto one = the_tree(has_log)) return one;
  const auto here = at_work.lock();
  return the_tree([&](const OpenDatabase& each) { return has_log(each) && each.tree == here; });
}

std::shared_ptr<FilterTree> filter_tree_of(rocksdb::DB& db) {
  const rocksdb::ColumnFamilyHandle* const handle = db.GetRootDB()->DefaultColumnFamily();
  return the_tree([&](const OpenDatabase& each) { return each.default_family == handle; });
}

std::vector<TreeOfFolder> all_filter_trees() {
  const std::lock_guard lock(registry().mutex);
  std::vector<TreeOfFolder> all;
  for (const OpenDatabase& each : registry().databases) all.push_back({each.folder, each.tree});
  return all;
}

void begin_refiltering(const std::shared_ptr<FilterTree>& tree) noexcept {
  at_work = tree;
  refilters = true;
}

void end_refiltering() noexcept {
  at_work.reset();
  refilters = false;
}

bool is_refiltering() noexcept { return refilters; }

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

void log_gets(const rocksdb::Statistics* statistics, rocksdb::Logger* log) {
  if (statistics == nullptr) return;
  const auto count = [&](rocksdb::Tickers ticker) { return statistics->getTickerCount(ticker); };
  const std::uint64_t found =
      count(rocksdb::GET_HIT_L0) + count(rocksdb::GET_HIT_L1) + count(rocksdb::GET_HIT_L2_AND_UP);
  const std::uint64_t true_positives = count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  const std::uint64_t positives = std::max(count(rocksdb::BLOOM_FILTER_FULL_POSITIVE), true_positives);
  JsonObject gets;
  gets.add("in_files", std::to_string(count(rocksdb::MEMTABLE_MISS)));
  gets.add("found", std::to_string(found));
  gets.add("filter_negatives", std::to_string(count(rocksdb::BLOOM_FILTER_USEFUL)));
  gets.add("filter_false_positives", std::to_string(positives - true_positives));
  rocksdb::Info(log, "%s%s", kGetsLine.data(), gets.str().c_str());
}

bool CounterListener::is_one_of(std::string_view names) noexcept {
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t colon = std::min(names.find(':', from), names.size());
    if (names.substr(from, colon - from) == kName) return true;
    from = colon + 1;
  }
  return false;
}

void CounterListener::meet(rocksdb::DB& db, std::size_t inputs) noexcept try {
  const auto tree = introduced(db);
  at_work = tree;
  if (tree == nullptr || !is_total_limited) return;
  // Listing all files is cheap compared with a compaction of a hundredth of them.
  tree->list(db, /*now=*/inputs > 0 && inputs >= tree->size() / 100);
} catch (...) {
  // The next flush tries again. If none succeeds, the database closes without our lines in its log, and max_total_bytes
  // has no effect.
}

std::shared_ptr<FilterTree> CounterListener::introduced(rocksdb::DB& db) {
  const rocksdb::ColumnFamilyHandle* const handle = db.DefaultColumnFamily();
  const auto known = [&] { return find([&](const OpenDatabase& each) { return each.default_family == handle; }); };
  {
    const std::lock_guard lock(registry().mutex);
    if (const OpenDatabase* const met = known(); met != nullptr) return met->tree;
  }
  rocksdb::DBOptions options = db.GetDBOptions();  // takes the database's mutex, so ours must not be held
  std::string folder = db.GetName();
  auto tree = std::make_shared<FilterTree>();
  const std::lock_guard lock(registry().mutex);
  if (const OpenDatabase* const met = known(); met != nullptr) return met->tree;
  if (handle == nullptr || options.info_log == nullptr) return nullptr;
  registry().databases.push_back(
      {handle, std::move(options.info_log), std::move(folder), tree, std::move(options.statistics)});
  return tree;
}

void CounterListener::OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) try {
  const auto closing = forget(handle);
  if (!closing) return;
  rocksdb::Logger* const log = closing->log.get();
  log_total(closing->tree->total(), log);
  log_gets(closing->statistics.get(), log);
  for (const auto& counters : all_counters()) {
    const std::string families = counters->take_families(log);
    if (!families.empty()) log_counters(*counters, families, log);
  }
} catch (...) {
  // No memory for a log line, or the logger threw.
}

}  // namespace crivo::plugin
