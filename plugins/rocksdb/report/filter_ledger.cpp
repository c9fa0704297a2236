#include "report/filter_ledger.h"

#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <new>
#include <utility>

#include "crivo/host/text.h"
#include "report/collector.h"
#include "sst/file_path.h"
#include "sst/table_file.h"

namespace crivo::plugin {
namespace {

using std::chrono::steady_clock;

constexpr int kShareOfTime = 100;
constexpr int kShareOfFlushes = 20;
constexpr std::chrono::minutes kLongestClosing{1};  // of a file whose filters are written

std::uint64_t number_or(const std::string& text, std::uint64_t instead) {
  return read_number<std::uint64_t>(text).value_or(instead);
}

}  // namespace

std::optional<FilterLedger::File> FilterLedger::read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta) {
  sst::TableFile file;
  const rocksdb::Status opened = file.open(*db.GetFileSystem(), sst::path_of(meta));
  if (opened.IsNotSupported() || opened.IsCorruption()) return File{.keys = meta.num_entries};  // it is asked nothing
  if (!opened.ok()) return std::nullopt;
  const std::uint64_t entries = file.number_property("rocksdb.num.entries");
  return File{.keys = number_or(file.text_property(kKeysProperty), entries),
              .bytes = number_or(file.text_property(kBytesProperty), file.number_property("rocksdb.filter.size"))};
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
  if (now || !was_listed_) {
    refreshing.lock();
  } else if (!refreshing.try_lock()) {
    return;
  }
  if (!now && was_listed_ && steady_clock::now() < next_refresh_) return;
  const auto started = steady_clock::now();
  std::vector<rocksdb::ColumnFamilyMetaData> listed;
  db.GetRootDB()->GetAllColumnFamilyMetaData(&listed);
  const auto took = steady_clock::now() - started;
  std::vector<std::pair<std::uint64_t, File>> read_files;
  for (const auto* const file : unknown(listed)) {
    if (auto found = read(db, *file)) read_files.emplace_back(file->file_number, *std::move(found));
  }
  const std::lock_guard lock(mutex_);
  for (auto& [number, file] : read_files) files_.try_emplace(number, std::move(file));
  take(listed);
  count();
  next_refresh_ = steady_clock::now() + kShareOfTime * took;
  was_listed_ = true;
}

void FilterLedger::take(const std::vector<rocksdb::ColumnFamilyMetaData>& listed) {
  std::unordered_map<std::uint64_t, File> alive;
  for (const auto& family : listed) {
    for (const auto& level : family.levels) {
      for (const auto& meta : level.files) {
        const auto known = files_.find(meta.file_number);
        if (known == files_.end()) continue;
        File file = known->second;
        file.family = family.name;
        file.level = level.level;
        if (!meta.being_compacted) file.goes_to = kNowhere;
        if (meta.being_compacted && file.goes_to == kNowhere) file.goes_to = kSomewhere;
        alive.insert_or_assign(meta.file_number, std::move(file));
      }
    }
  }
  for (const auto& [number, file] : files_) {
    if (file.level == kNowhere) alive.try_emplace(number, file);
  }
  files_.swap(alive);
  const auto now = steady_clock::now();
  std::erase_if(closed_, [&](const Closed& each) { return now - each.since > kLongestClosing; });
}

void FilterLedger::created(const rocksdb::TableFileCreationInfo& file) {
  const auto& properties = file.table_properties;
  const auto collected = [&](const char* name, std::uint64_t instead) {
    const auto found = properties.user_collected_properties.find(name);
    return found != properties.user_collected_properties.end() ? number_or(found->second, instead) : instead;
  };
  File made{.keys = collected(kKeysProperty, properties.num_entries),
            .bytes = collected(kBytesProperty, properties.filter_size),
            .family = file.cf_name};
  const std::lock_guard lock(mutex_);
  const auto closed = std::ranges::find(closed_, made.bytes, &Closed::bytes);
  if (closed != closed_.end()) closed_.erase(closed);
  if (file.status.ok()) {
    if (file.reason == rocksdb::TableFileCreationReason::kFlush) {
      std::uint64_t& flushed = flushed_[file.cf_name];
      flushed = std::max(made.keys, flushed - flushed / 8);  // a small one now and then changes little
    }
    files_.try_emplace(sst::number_of(file.file_path), std::move(made));
  }
  count();
}

void FilterLedger::set_place(std::uint64_t number, int level, int goes_to) {
  const auto found = files_.find(number);
  if (found == files_.end()) return;  // the next list has it
  found->second.level = level;
  found->second.goes_to = goes_to;
}

void FilterLedger::flushed(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  set_place(number, 0, kNowhere);
  count();
}

void FilterLedger::deleted(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(sst::number_of(path));
  count();
}

void FilterLedger::compaction_began(const Files& inputs, int output_level) {
  const std::lock_guard lock(mutex_);
  for (const auto& file : inputs) set_place(file.file_number, file.level, output_level);
  count();
}

void FilterLedger::compaction_ended(const Files& inputs, const Files& outputs, bool well) {
  const std::lock_guard lock(mutex_);
  for (const auto& file : inputs) {
    const bool is_moved = std::ranges::count(outputs, file.file_number, &rocksdb::CompactionFileInfo::file_number) != 0;
    if (!well) set_place(file.file_number, file.level, kNowhere);
    if (well && !is_moved) files_.erase(file.file_number);
  }
  for (const auto& file : outputs) {
    if (well) set_place(file.file_number, file.level, kNowhere);
  }
  count();
}

void FilterLedger::count() {
  settled_ = level0_ = all_moving_ = 0;
  moving_.clear();
  coming_ = open_;
  for (const Closed& each : closed_) coming_ += each.bytes;
  for (const auto& [number, file] : files_) {
    if (file.level == kNowhere) {
      coming_ += file.bytes;
    } else if (file.goes_to != kNowhere) {
      moving_[{file.family, file.goes_to}] += file.bytes;
      all_moving_ += file.bytes;
    } else {
      settled_ += file.bytes;
      if (file.level == 0) level0_ += file.bytes;
    }
  }
}

void FilterLedger::set_renewing(bool is_so) {
  const std::lock_guard lock(mutex_);
  renewing_ += is_so ? 1 : -1;
}

void FilterLedger::share_limit(const std::string& family, std::uint64_t max_total_bytes) {
  const std::lock_guard lock(mutex_);
  if (max_total_bytes == 0) {
    limits_.erase(family);
    return;
  }
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
    ++tree.sharing_files;
    if (file.family != family) continue;
    const auto level = static_cast<std::size_t>(std::max(file.level, file.goes_to));
    if (tree.keys.size() <= level) tree.keys.resize(level + 1);
    tree.keys[level] += file.keys;
  }
  return tree;
}

std::uint64_t FilterLedger::room(std::uint64_t max_total_bytes, const NewFile& file) const {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); };
  if (file.flushed) {
    const std::uint64_t used = settled_ + std::max(all_moving_, coming_);
    const std::uint64_t more = max_total_bytes / kShareOfFlushes;
    const std::uint64_t most = is_lowered_ ? more : std::min(more, less(max_total_bytes + more, used));
    return std::max(less(max_total_bytes, used) / 2, less(most, level0_ + coming_));
  }
  std::uint64_t own = 0;
  for (const int level : {file.level, kSomewhere}) {
    const auto found = moving_.find({file.family, level});
    if (found != moving_.end()) own += found->second;
  }
  if (renewing_ != 0 || own == 0) return max_total_bytes;
  const auto total = static_cast<double>(std::max(settled_ + all_moving_, std::uint64_t{1}));
  const double scaled = static_cast<double>(own) * std::min(1.0, static_cast<double>(max_total_bytes) / total);
  return std::max(less(max_total_bytes, settled_ + all_moving_ - own + coming_),
                  less(static_cast<std::uint64_t>(scaled), coming_));
}

FilterLedger::Reserved FilterLedger::reserve(std::uint64_t max_total_bytes, const NewFile& file, std::uint64_t wanted) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t left = room(max_total_bytes, file);
  const Reserved reserved{left, std::min(left, wanted)};
  open_ += reserved.bytes;
  coming_ += reserved.bytes;
  return reserved;
}

void FilterLedger::took(std::uint64_t reserved, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  open_ += bytes - reserved;  // modulo 2^64, as the sums are not below what was reserved
  coming_ += bytes - reserved;
}

void FilterLedger::close_file(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  open_ -= bytes;
  try {
    if (bytes != 0) closed_.push_back({bytes, steady_clock::now()});
  } catch (const std::bad_alloc&) {
    coming_ -= bytes;  // until it is created, it does not count
  }
}

std::uint64_t FilterShare::reserve(std::uint64_t wanted) {
  if (ledger_ != nullptr) {
    const auto reserved = ledger_->reserve(max_total_bytes_, file_, wanted);
    reserved_ = reserved.bytes;
    return reserved.room;
  }
  const std::uint64_t share = max_total_bytes_ / kShareOfFlushes;
  return share - std::min(share, bytes_);
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
