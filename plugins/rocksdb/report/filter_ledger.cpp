#include "report/filter_ledger.h"

#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "crivo/host/text.h"
#include "sst/table_file.h"

namespace crivo::plugin {
namespace {

using std::chrono::steady_clock;

constexpr int kShareOfTime = 100;
constexpr int kShareOfFlushes = 20;
constexpr const char* kBytes = "crivo.filter.bytes";  // of the collector; RocksDB has another number of its own
constexpr const char* kKeys = "crivo.filter.keys";

std::uint64_t number_or(const std::string& text, std::uint64_t instead) {
  return read_number<std::uint64_t>(text).value_or(instead);
}

std::uint64_t number_of(const std::string& path) {
  return std::strtoull(path.c_str() + path.find_last_of('/') + 1, nullptr, 10);
}

}  // namespace

FilterLedger::File FilterLedger::read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta) {
  sst::TableFile file;
  if (!file.open(*db.GetFileSystem(), meta.directory + "/" + meta.relative_filename).ok()) {
    return {.keys = meta.num_entries};  // it is gone, or nobody can use its filters
  }
  const std::uint64_t entries = file.number_property("rocksdb.num.entries");
  return {.keys = number_or(file.text_property(kKeys), entries),
          .bytes = number_or(file.text_property(kBytes), file.number_property("rocksdb.filter.size"))};
}

std::vector<const rocksdb::SstFileMetaData*> FilterLedger::unknown(
    const std::vector<rocksdb::ColumnFamilyMetaData>& listed) const {
  const std::lock_guard lock(mutex_);
  std::vector<const rocksdb::SstFileMetaData*> found;
  for (const auto& family : listed) {
    for (const auto& level : family.levels) {
      for (const auto& file : level.files) {
        if (files_.count(file.file_number) == 0) found.push_back(&file);
      }
    }
  }
  return found;
}

void FilterLedger::refresh(rocksdb::DB& db, bool now) {
  std::unique_lock refreshing(refreshing_, std::defer_lock);
  if (now) {
    refreshing.lock();
  } else if (!refreshing.try_lock() || steady_clock::now() < next_refresh_) {
    return;
  }
  const auto started = steady_clock::now();
  std::vector<rocksdb::ColumnFamilyMetaData> listed;
  db.GetRootDB()->GetAllColumnFamilyMetaData(&listed);
  const auto took = steady_clock::now() - started;
  std::vector<std::pair<std::uint64_t, File>> read_files;
  for (const auto* const file : unknown(listed)) read_files.emplace_back(file->file_number, read(db, *file));
  const std::lock_guard lock(mutex_);
  for (auto& [number, file] : read_files) {
    const auto [added, is_new] = files_.try_emplace(number, std::move(file));
    if (is_new) count(added->second, true);
  }
  take(listed);
  next_refresh_ = steady_clock::now() + kShareOfTime * took;
}

void FilterLedger::take(const std::vector<rocksdb::ColumnFamilyMetaData>& listed) {
  for (const auto& [number, file] : files_) count(file, false);
  std::unordered_map<std::uint64_t, File> alive;
  for (const auto& family : listed) {
    for (const auto& level : family.levels) {
      for (const auto& meta : level.files) {
        File file = std::move(files_[meta.file_number]);
        file.family = family.name;
        file.level = level.level;
        if (!meta.being_compacted) file.goes_to = kNowhere;
        if (meta.being_compacted && file.goes_to == kNowhere) file.goes_to = kSomewhere;
        alive.insert_or_assign(meta.file_number, std::move(file));
      }
    }
  }
  for (auto& [number, file] : files_) {
    const bool is_new = file.level == kNowhere;
    if (is_new) alive.try_emplace(number, std::move(file));
  }
  files_ = std::move(alive);
  for (const auto& [number, file] : files_) count(file, true);
}

void FilterLedger::created(const rocksdb::TableFileCreationInfo& file) {
  if (!file.status.ok()) return;
  const auto& properties = file.table_properties;
  const auto collected = [&](const char* name, std::uint64_t instead) {
    const auto found = properties.user_collected_properties.find(name);
    return found != properties.user_collected_properties.end() ? number_or(found->second, instead) : instead;
  };
  File made{.keys = collected(kKeys, properties.num_entries),
            .bytes = collected(kBytes, properties.filter_size),
            .family = file.cf_name};
  const std::lock_guard lock(mutex_);
  if (file.reason == rocksdb::TableFileCreationReason::kFlush) {
    std::uint64_t& flushed = flushed_[file.cf_name];
    flushed = std::max(made.keys, flushed - flushed / 8);  // a small one now and then changes little
  }
  const auto [added, is_new] = files_.try_emplace(number_of(file.file_path), std::move(made));
  if (is_new) count(added->second, true);
}

void FilterLedger::set_place(std::uint64_t number, int level, int goes_to) {
  const auto found = files_.find(number);
  if (found == files_.end()) return;  // the next list has it
  count(found->second, false);
  found->second.level = level;
  found->second.goes_to = goes_to;
  count(found->second, true);
}

void FilterLedger::erase(std::uint64_t number) {
  const auto found = files_.find(number);
  if (found == files_.end()) return;
  count(found->second, false);
  files_.erase(found);
}

void FilterLedger::flushed(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  set_place(number, 0, kNowhere);
}

void FilterLedger::deleted(const std::string& path) {
  const std::lock_guard lock(mutex_);
  erase(number_of(path));
}

void FilterLedger::compaction_began(const Files& inputs, int output_level) {
  const std::lock_guard lock(mutex_);
  for (const auto& file : inputs) set_place(file.file_number, file.level, output_level);
}

void FilterLedger::compaction_ended(const Files& inputs, const Files& outputs, bool well) {
  const std::lock_guard lock(mutex_);
  for (const auto& file : inputs) {
    const bool is_moved = std::ranges::count(outputs, file.file_number, &rocksdb::CompactionFileInfo::file_number) != 0;
    if (!well) set_place(file.file_number, file.level, kNowhere);
    if (well && !is_moved) erase(file.file_number);
  }
  if (!well) return;
  for (const auto& file : outputs) set_place(file.file_number, file.level, kNowhere);
}

void FilterLedger::set_renewing(bool is_so) {
  const std::lock_guard lock(mutex_);
  renewing_ += is_so ? 1 : -1;
}

void FilterLedger::share_limit(const std::string& family, std::uint64_t max_total_bytes) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& limit = limits_[family];
  const bool fits = settled_ + all_moving_ <= max_total_bytes;
  is_lowered_ = !fits && (is_lowered_ || limit == 0 || max_total_bytes < limit);
  limit = max_total_bytes;
}

KnownTree FilterLedger::tree_of(const std::string& family) const {
  const std::lock_guard lock(mutex_);
  KnownTree tree;
  const auto flushed = flushed_.find(family);
  if (flushed != flushed_.end() && renewing_ == 0) tree.flushed_keys = flushed->second;
  for (const auto& [number, file] : files_) {
    if (file.level == kNowhere) continue;
    if (limits_.count(file.family) == 0) {
      tree.other_bytes += file.bytes;
      continue;
    }
    tree.sharing_keys += file.keys;
    if (file.family != family) continue;
    const auto level = static_cast<std::size_t>(std::max(file.level, file.goes_to));
    if (tree.keys.size() <= level) tree.keys.resize(level + 1);
    tree.keys[level] += file.keys;
  }
  return tree;
}

void FilterLedger::count(const File& file, bool is_there) {
  const std::uint64_t bytes = is_there ? file.bytes : 0 - file.bytes;
  if (file.level == kNowhere) {
    coming_ += bytes;
  } else if (file.goes_to != kNowhere) {
    moving_[{file.family, file.goes_to}] += bytes;
    all_moving_ += bytes;
  } else {
    settled_ += bytes;
    if (file.level == 0) level0_ += bytes;
  }
}

std::uint64_t FilterLedger::room(std::uint64_t max_total_bytes, const NewFile& file) const {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); };
  const std::lock_guard lock(mutex_);
  if (file.flushed) {
    const std::uint64_t used = settled_ + std::max(all_moving_, coming_);
    const std::uint64_t more = max_total_bytes / kShareOfFlushes;
    const std::uint64_t most = is_lowered_ ? more : std::min(more, less(max_total_bytes + more, used));
    return std::max(less(max_total_bytes, used) / 2, less(most, level0_ + coming_));
  }
  if (renewing_ != 0) return max_total_bytes;
  std::uint64_t own = 0;
  for (const int level : {file.level, kSomewhere}) {
    const auto found = moving_.find({file.family, level});
    if (found != moving_.end()) own += found->second;
  }
  const auto total = static_cast<double>(std::max(settled_ + all_moving_, std::uint64_t{1}));
  const double scaled = static_cast<double>(own) * std::min(1.0, static_cast<double>(max_total_bytes) / total);
  return std::max(less(max_total_bytes, settled_ + all_moving_ - own + coming_),
                  less(static_cast<std::uint64_t>(scaled), coming_));
}

void FilterLedger::add_open(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  coming_ += bytes;
}

void FilterLedger::remove_open(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  coming_ -= bytes;
}

FilterLedger::Total FilterLedger::total() const {
  const std::lock_guard lock(mutex_);
  Total total;
  for (const auto& [family, limit] : limits_) total.max_total_bytes = std::max(total.max_total_bytes, limit);
  for (const auto& [number, file] : files_) {
    if (file.level == kNowhere) continue;
    ++total.files;
    total.keys += file.keys;
    total.bytes += file.bytes;
  }
  return total;
}

}  // namespace crivo::plugin
