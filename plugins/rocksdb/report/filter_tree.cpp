#include "report/filter_tree.h"

#include <algorithm>
#include <utility>

#include "crivo/host/text.h"
#include "crivo/types.h"
#include "report/filter_collector.h"
#include "sst/table_file.h"

namespace crivo::plugin {
namespace {

using std::chrono::steady_clock;

constexpr int kPausePerListing = 100;      // after a listing of t, the next one waits 100 t: 1% of the time
constexpr std::chrono::seconds kBurst{1};  // unused listing time accumulates for at most this long

}  // namespace

std::optional<FilterTree::Filter> FilterTree::read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta) {
  sst::TableFile file;
  const rocksdb::Status opened = file.open(*db.GetFileSystem(), sst::path_of(meta));
  if (opened.IsNotSupported() || opened.IsCorruption()) return Filter{.entries = meta.num_entries};
  if (!opened.ok()) return std::nullopt;
  const auto number = [&](const char* name, std::uint64_t otherwise) {
    return read_number<std::uint64_t>(file.text_property(name)).value_or(otherwise);
  };
  Filter filter{.entries = file.number_property("rocksdb.num.entries"),
                .keys = number(kKeysProperty, file.number_property("rocksdb.num.filter_entries")),
                .bytes = number(kBytesProperty, file.number_property("rocksdb.filter.size")),
                .blocks = number(kBlocksProperty, 1),
                .max_total_bytes = number(kLimitProperty, 0)};
  filter.entries -= std::min(filter.entries, file.number_property("rocksdb.num.range-deletions"));
  // Sums of forged properties must not overflow.
  filter.entries = std::min(filter.entries, kMaxCapacity);
  filter.keys = std::min(filter.keys, kMaxCapacity);
  filter.bytes = std::min<std::uint64_t>(filter.bytes, meta.size);
  filter.blocks = std::min<std::uint64_t>(filter.blocks, meta.size);
  for (const char* const name :
       {"rocksdb.block.based.table.whole.key.filtering", "rocksdb.prefix.extractor.name", kTransformProperty}) {
    filter.key_options.append(file.text_property(name)).append(1, '\0');
  }
  return filter;
}

/// The number of keys in a file's filter, or in the filter that the file would get if it were written now. The options
/// of the newest filter of the column family are assumed to be the current ones. For a file without a filter, or with a
/// filter of other options, the keys are estimated: the file's entries, times the ratio of keys to entries in the files
/// whose filters have the current options.
class FilterTree::KeyCounts {
 public:
  void add(std::uint64_t number, const Filter& filter) {
    if (filter.keys == 0) return;
    if (number > newest_) {
      newest_ = number;
      newest_key_options_ = filter.key_options;
      newest_limit_ = filter.max_total_bytes;
    }
    auto& [keys, entries] = sums_[filter.key_options];
    keys += static_cast<double>(filter.keys);
    entries += static_cast<double>(std::max(filter.entries, std::uint64_t{1}));
  }
  /// The limit that the newest file with a filter records; 0: none.
  [[nodiscard]] std::uint64_t newest_limit() const noexcept { return newest_limit_; }
  [[nodiscard]] double keys_of(const Filter& filter) const {
    if (filter.keys != 0 && filter.key_options == newest_key_options_) return static_cast<double>(filter.keys);
    const auto found = sums_.find(newest_key_options_);
    const double ratio = found != sums_.end() ? found->second.first / found->second.second : 1;
    return ratio * static_cast<double>(filter.entries);
  }

 private:
  std::uint64_t newest_ = 0;  // the number of the newest file with a filter
  std::uint64_t newest_limit_ = 0;
  std::string newest_key_options_;
  std::map<std::string, std::pair<double, double>> sums_;  // keys and entries
};

FilterTree::Families FilterTree::sum(rocksdb::DB& db, const std::vector<rocksdb::LiveFileMetaData>& files) {
  std::unordered_map<std::uint64_t, Filter> filters;
  std::map<std::string, KeyCounts> counts;
  std::vector<std::uint64_t> unreadable;
  for (const rocksdb::LiveFileMetaData& file : files) {
    const auto known = filters_.find(file.file_number);
    auto filter = known != filters_.end() ? known->second : read(db, file);
    if (!filter) unreadable.push_back(file.file_number);
    filters.insert_or_assign(file.file_number, std::move(filter).value_or(Filter{.entries = file.num_entries}));
    counts[file.column_family_name].add(file.file_number, filters[file.file_number]);
  }
  Families families;
  for (const rocksdb::LiveFileMetaData& file : files) {
    const Filter& filter = filters[file.file_number];
    const double keys = counts[file.column_family_name].keys_of(filter);
    Family& family = families[file.column_family_name];
    family.levels.resize(std::max(family.levels.size(), static_cast<std::size_t>(file.level) + 1));
    ListedTree::Level& level = family.levels[static_cast<std::size_t>(file.level)];
    ++family.files;
    family.blocks += filter.blocks;
    family.keys += keys;
    ++level.files;
    (file.being_compacted ? level.moving_keys : level.keys) += keys;
    (file.being_compacted ? family.moving_bytes : family.staying_bytes) += filter.bytes;
    if (file.being_compacted) family.moving_keys += keys;
    family.newest_limit = counts[file.column_family_name].newest_limit();
  }
  for (const std::uint64_t number : unreadable) filters.erase(number);  // read again for the next list
  filters_.swap(filters);
  return families;
}

void FilterTree::list(rocksdb::DB& db, bool now) {
  std::unique_lock listing(listing_, std::defer_lock);
  if (now || !was_listed_) {
    listing.lock();
  } else if (!listing.try_lock()) {
    return;
  }
  const auto started = steady_clock::now();
  if (!now && was_listed_ && started < next_list_) return;
  std::uint64_t listed_flushes = 0;
  {
    const std::lock_guard lock(mutex_);
    listed_flushes = unlisted_bytes_;
  }
  forget_dropped(db);
  std::vector<rocksdb::LiveFileMetaData> files;
  db.GetRootDB()->GetLiveFilesMetaData(&files);
  next_list_ = std::max(next_list_, started - kBurst) + kPausePerListing * (steady_clock::now() - started);
  Families families = sum(db, files);
  const std::lock_guard lock(mutex_);
  families_.swap(families);
  unlisted_bytes_ -= listed_flushes;
  // A column family without files has no share of the limit, and may have been dropped. A column family that is writing
  // its first file (is_new) is not listed yet, and stays.
  std::erase_if(limits_, [&](const auto& limit) { return !limit.second.is_new && families_.count(limit.first) == 0; });
  for (auto& [family, limit] : limits_) limit.is_new = false;
  was_listed_ = true;
}

void FilterTree::forget_dropped(rocksdb::DB& db) {
  std::vector<Flush> unlisted;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [flush, flushed] : flushed_) {
      if (flushed.is_written && families_.count(flush.family) == 0) unlisted.push_back(flush);
    }
  }
  if (unlisted.empty()) return;
  std::vector<rocksdb::ColumnFamilyMetaData> existing;
  db.GetRootDB()->GetAllColumnFamilyMetaData(&existing);
  const std::lock_guard lock(mutex_);
  for (const Flush& flush : unlisted) {
    if (std::ranges::count(existing, flush.family, &rocksdb::ColumnFamilyMetaData::name) == 0) flushed_.erase(flush);
  }
}

std::size_t FilterTree::size() const { return total().files; }

void FilterTree::set_limit(const std::string& family, std::uint64_t max_total_bytes) {
  const std::lock_guard lock(mutex_);
  limits_[family].bytes = max_total_bytes;
}

std::uint64_t FilterTree::limit_of(const Families::value_type& family) const {
  const auto set = limits_.find(family.first);
  return set != limits_.end() ? set->second.bytes : family.second.newest_limit;
}

ListedTree FilterTree::sums() const {
  ListedTree tree;
  tree.flushed_bytes = static_cast<double>(unlisted_bytes_);
  for (const auto& [flush, flushed] : flushed_) tree.flushed_bytes += static_cast<double>(flushed.bytes);
  for (const auto& listed : families_) {
    const Family& each = listed.second;
    tree.staying_bytes += static_cast<double>(each.staying_bytes);
    tree.moving_bytes += static_cast<double>(each.moving_bytes);
    if (limit_of(listed) == 0) {
      tree.unlimited_bytes += static_cast<double>(each.staying_bytes + each.moving_bytes);
      continue;
    }
    tree.limited_keys += each.keys;
    tree.limited_blocks += static_cast<double>(each.blocks);
    tree.other_moving_keys += each.moving_keys;
  }
  return tree;
}

ListedTree FilterTree::of(const std::string& family) const {
  const std::lock_guard lock(mutex_);
  ListedTree tree = sums();
  const auto listed = families_.find(family);
  if (listed == families_.end() || limit_of(*listed) == 0) return tree;
  tree.levels = listed->second.levels;
  tree.other_moving_keys -= listed->second.moving_keys;
  return tree;
}

std::size_t FilterTree::reserve(const Flush& flush, std::uint64_t max_total_bytes, double moving_bytes,
                                std::size_t wanted, std::size_t& counted) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& own = flushed_[flush].bytes;
  ListedTree others = sums();
  others.flushed_bytes -= static_cast<double>(own);
  const std::size_t most = max_flushed_bytes(others, max_total_bytes, moving_bytes);
  counted = std::min<std::size_t>(wanted, most - std::min<std::size_t>(own, most));
  own += counted;
  return most;
}

void FilterTree::count(const Flush& flush, std::size_t counted, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto flushed = flushed_.find(flush);
  if (flushed == flushed_.end()) return;
  std::uint64_t& sum = flushed->second.bytes;
  sum = sum - std::min<std::uint64_t>(counted, sum) + bytes;
}

void FilterTree::end_writing(const Flush& flush) {
  const std::lock_guard lock(mutex_);
  if (const auto flushed = flushed_.find(flush); flushed != flushed_.end()) flushed->second.is_written = true;
}

// A flush ends when RocksDB has committed its file. RocksDB commits the files of a column family in order, so a
// finished file waits for that of an earlier flush. If a commit fails, RocksDB reports only one of the flushes, and
// flushes their keys again in a later job. So flushes that are written but not committed end with a later one. (After a
// failed flush, or if two flushes start at once, a later job may be committed first. The earlier one then counts again
// once its file is listed.)
void FilterTree::end_flush(const Flush& flush) {
  const std::lock_guard lock(mutex_);
  std::erase_if(flushed_, [&](const auto& each) {
    const bool is_over = each.first.family == flush.family &&
                         (each.first.job == flush.job || (each.first.job < flush.job && each.second.is_written));
    if (is_over) unlisted_bytes_ += each.second.bytes;
    return is_over;
  });
}

void FilterTree::cancel_flushes(int job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(flushed_, [&](const auto& each) { return each.first.job == job; });
}

RocksDBFilterTotal FilterTree::total() const {
  const std::lock_guard lock(mutex_);
  RocksDBFilterTotal total{};
  for (const auto& [family, limit] : limits_) total.max_total_bytes = std::max(total.max_total_bytes, limit.bytes);
  for (const auto& listed : families_) {
    const Family& family = listed.second;
    total.max_total_bytes = std::max(total.max_total_bytes, limit_of(listed));
    total.files += family.files;
    total.keys += static_cast<std::uint64_t>(family.keys);
    total.bytes += family.staying_bytes + family.moving_bytes;
  }
  return total;
}

}  // namespace crivo::plugin
