#include "report/open_databases.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace crivo::plugin {
namespace {

/// The file list of the database that this thread is flushing, compacting or refiltering. Needed if several databases
/// share a logger. Each such operation first sets this variable.
thread_local std::weak_ptr<FilterTree> tree_of_thread;
thread_local int job_of_thread = 0;
thread_local bool refilters = false;

/// Shared by the listeners of all databases. Never destroyed, because databases may outlive this library's static
/// objects.
struct ProcessState {
  std::mutex mutex;
  std::vector<OpenDatabase> databases;
  std::vector<std::weak_ptr<Counters>> counters;
  std::uint64_t made = 0;
};

ProcessState& process() {
  static auto* const made = new ProcessState;
  return *made;
}

/// The database for which `is_it` holds; null if there is none. The caller must hold the mutex.
template <typename IsIt>
const OpenDatabase* find(const IsIt& is_it) {
  const auto found = std::ranges::find_if(process().databases, is_it);
  return found != process().databases.end() ? &*found : nullptr;
}

/// The file list of the only database for which `is_it` holds; null if there is none, or several.
template <typename IsIt>
std::shared_ptr<FilterTree> the_tree(const IsIt& is_it) {
  const std::lock_guard lock(process().mutex);
  if (std::ranges::count_if(process().databases, is_it) != 1) return nullptr;
  return find(is_it)->tree;
}

}  // namespace

std::shared_ptr<FilterTree> register_database(rocksdb::DB& db) {
  const rocksdb::ColumnFamilyHandle* const handle = db.DefaultColumnFamily();
  const auto known = [&] { return find([&](const OpenDatabase& each) { return each.default_family == handle; }); };
  {
    const std::lock_guard lock(process().mutex);
    if (const OpenDatabase* const found = known(); found != nullptr) return found->tree;
  }
  rocksdb::DBOptions options = db.GetDBOptions();  // locks the database's mutex, so the process's must not be held
  std::string folder = db.GetName();
  auto tree = std::make_shared<FilterTree>();
  const std::lock_guard lock(process().mutex);
  if (const OpenDatabase* const found = known(); found != nullptr) return found->tree;
  if (handle == nullptr || options.info_log == nullptr) return nullptr;
  process().databases.push_back(
      {handle, std::move(options.info_log), std::move(folder), tree, std::move(options.statistics)});
  return tree;
}

std::optional<OpenDatabase> remove_database(const rocksdb::ColumnFamilyHandle* handle) {
  const std::lock_guard lock(process().mutex);
  auto& databases = process().databases;
  const auto found = std::ranges::find(databases, handle, &OpenDatabase::default_family);
  if (found == databases.end()) return std::nullopt;
  OpenDatabase database = std::move(*found);
  databases.erase(found);
  return database;
}

std::vector<std::shared_ptr<Counters>> all_counters() {
  const std::lock_guard lock(process().mutex);
  std::vector<std::shared_ptr<Counters>> alive;
  for (const auto& each : process().counters) {
    if (auto counters = each.lock(); counters != nullptr) alive.push_back(std::move(counters));
  }
  return alive;
}

std::string folder_of(const rocksdb::Logger* log) {
  const std::lock_guard lock(process().mutex);
  const OpenDatabase* const found = find([&](const OpenDatabase& each) { return each.log.get() == log; });
  return found != nullptr ? found->folder : "";
}

std::shared_ptr<FilterTree> filter_tree_of(const rocksdb::Logger* log) {
  const auto has_log = [&](const OpenDatabase& each) { return each.log.get() == log; };
  if (auto one = the_tree(has_log)) return one;
  const auto here = tree_of_thread.lock();
  return the_tree([&](const OpenDatabase& each) { return has_log(each) && each.tree == here; });
}

std::shared_ptr<FilterTree> filter_tree_of(rocksdb::DB& db) {
  const rocksdb::ColumnFamilyHandle* const handle = db.GetRootDB()->DefaultColumnFamily();
  return the_tree([&](const OpenDatabase& each) { return each.default_family == handle; });
}

std::vector<TreeOfFolder> all_filter_trees() {
  const std::lock_guard lock(process().mutex);
  std::vector<TreeOfFolder> all;
  for (const OpenDatabase& each : process().databases) all.push_back({each.folder, each.tree});
  return all;
}

void begin_work(const std::shared_ptr<FilterTree>& tree, int flush_job) noexcept {
  tree_of_thread = tree;
  job_of_thread = flush_job;
}

int flush_job_of_thread() noexcept { return job_of_thread; }

void end_writing_of_thread(const std::string& family) {
  if (const auto tree = tree_of_thread.lock(); tree != nullptr) tree->end_writing({job_of_thread, family});
}

void cancel_flush_of_thread() noexcept {
  const auto tree = tree_of_thread.lock();
  if (tree != nullptr && job_of_thread != 0) tree->cancel_flushes(job_of_thread);
}

void begin_refiltering(const std::shared_ptr<FilterTree>& tree) noexcept {
  tree_of_thread = tree;
  refilters = true;
}

void end_refiltering() noexcept {
  tree_of_thread.reset();
  refilters = false;
}

bool is_refiltering() noexcept { return refilters; }

std::shared_ptr<Counters> new_counters(std::string_view policy_name) {
  const std::lock_guard lock(process().mutex);
  auto made = std::make_shared<Counters>(policy_name, ++process().made);
  std::erase_if(process().counters, [](const auto& each) { return each.expired(); });
  process().counters.push_back(made);
  return made;
}

}  // namespace crivo::plugin
