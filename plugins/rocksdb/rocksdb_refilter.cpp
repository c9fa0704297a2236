// Compacts each file whose filter is wrong, one at a time. refilter/ decides which files these are.
#include "crivo/rocksdb_refilter.h"

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "crivo/host/scope_exit.h"
#include "options/level_specs.h"
#include "policy/policy.h"
#include "refilter/family_policy.h"
#include "refilter/judge.h"
#include "report/counter_listener.h"
#include "report/open_databases.h"
#include "sst/table_file.h"

namespace crivo {
namespace {

using refilter::FamilyPolicy;
using rocksdb::Status;
using std::chrono::steady_clock;

constexpr int kMaxPasses = 20;
constexpr int kMaxRewrites = 3;                                  // of a file, with max_total_bytes
constexpr std::uint64_t kBytesForLogs = std::uint64_t{1} << 20;  // bytes that a compaction writes besides its file
constexpr std::chrono::milliseconds kBetweenPasses{250};
constexpr std::chrono::milliseconds kBetweenReports{100};

/// A file whose filter must be rewritten, and why.
struct Candidate {
  const FamilyPolicy* family;
  refilter::TreeFile file;
  std::string reason;
};

Status refusal(rocksdb::ColumnFamilyHandle& family, const std::string& must, const std::string& got) {
  return Status::InvalidArgument("crivo: filter_policy of column family " + family.GetName() + " must " + must +
                                 ", got " + got);
}

/// Sets the family's policy, and the settings if the policy is one of Crivo's. RocksDB passes the column family's
/// options to a policy only when it opens the database for writing. For a read-only database, this function applies
/// them.
Status set_policy(const std::shared_ptr<const rocksdb::FilterPolicy>& policy, bool writable, FamilyPolicy* family) {
  if (auto settings = plugin::settings_of(*policy)) {
    if (!writable) settings->tree = plugin::tree_of(family->options);
    auto planned = plugin::SettingsParser(*plugin::find_policy(policy->Name()), *settings).finish();
    if (!planned) return Status::InvalidArgument(planned.error().message);
    family->policy = policy;
    family->settings = *std::move(planned);
    return Status::OK();
  }
  return refilter::make_policy(policy->GetId(), &family->policy);
}

Status prepare(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& handle, bool writable, bool remove_filters,
               FamilyPolicy* family) {
  *family = {&handle, db.GetOptions(&handle), nullptr, std::nullopt};
  const auto* const table = refilter::table_of(family->options);
  if (table == nullptr) {
    return Status::InvalidArgument("crivo: table_factory of column family " + handle.GetName() +
                                   " must be BlockBasedTable, got " + family->options.table_factory->Name());
  }
  const auto policy = table->filter_policy;
  if (policy == nullptr) {
    return remove_filters ? Status::OK() : refusal(handle, "be set when the database is opened", "none");
  }
  if (const std::string why = refilter::why_no_filters(family->options); !why.empty()) {
    return refusal(handle, "write filters", "none: " + why);
  }
  const Status set = set_policy(policy, writable, family);
  return set.ok() ? set : refusal(handle, "be one of Crivo's or RocksDB's", policy->GetId() + ": " + set.ToString());
}

/// The index of the column family's folder that contains the file; the new file goes there too.
int path_id(const Candidate& candidate) {
  const auto& paths = candidate.family->options.cf_paths;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].path == candidate.file.meta.directory) return static_cast<int>(i);
  }
  return 0;
}

class Refilter {
 public:
  Refilter(rocksdb::DB& db, const RocksDBRefilterOptions& options) : db_(db), options_(options) {}
  Refilter(const Refilter&) = delete;
  Refilter& operator=(const Refilter&) = delete;
  ~Refilter() = default;

  RocksDBRefilterReport run() {
    report_.status = prepare_all();
    if (!report_.status.ok()) return std::move(report_);
    if (options_.dry_run) {
      report_all();
    } else {
      rewrite_all();
    }
    return std::move(report_);
  }

  /// The report, with this error as its status.
  RocksDBRefilterReport stopped_by(Status error) {
    report_.status = std::move(error);
    report_.unreadable.clear();
    return std::move(report_);
  }

 private:
  Status prepare_all() {
    auto handles = options_.column_families;
    if (handles.empty()) handles.push_back(db_.DefaultColumnFamily());
    // A database that can be written rejects an empty list, but not with NotSupported. CompactFiles would not do:
    // OpenForReadOnly may return a CompactedDBImpl, whose CompactFiles runs a real compaction.
    const bool writable = !db_.IngestExternalFile(db_.DefaultColumnFamily(), {}, {}).IsNotSupported();
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      if (handle == nullptr) return Status::InvalidArgument("crivo: column_families must not contain a null pointer");
      FamilyPolicy& family = families_.emplace_back();
      Status known = prepare(db_, *handle, writable, options_.remove_filters, &family);
      if (known.ok()) known = register_limit(family, writable);
      if (!known.ok()) return known;
    }
    plan();
    return writable || options_.dry_run
               ? Status::OK()
               : Status::NotSupported("crivo: DB must be open for writing, got a read-only one");
  }

  /// If the family has max_total_bytes, sets this limit in the database's file list. A read-only database gets a new
  /// list.
  Status register_limit(const FamilyPolicy& family, bool writable) {
    if (!family.settings || family.settings->max_total_bytes == 0) return Status::OK();
    if (writable && !plugin::has<plugin::CounterListener>(family.options.listeners)) {
      return Status::InvalidArgument(std::string("crivo: ") + plugin::kNeedsListener + " (column family " +
                                     family.handle->GetName() + ")");
    }
    if (tree_ == nullptr) {
      if (writable) tree_ = plugin::register_database(*db_.GetRootDB());
      if (tree_ == nullptr) tree_ = std::make_shared<plugin::FilterTree>();
    }
    tree_->set_limit(family.handle->GetName(), family.settings->max_total_bytes);
    return Status::OK();
  }

  void plan() {
    if (tree_ == nullptr) return;
    tree_->list(db_, /*now=*/true);
    for (FamilyPolicy& family : families_) {
      if (family.settings && family.settings->max_total_bytes != 0) family.tree = tree_->of(family.handle->GetName());
    }
  }

  /// Reports progress. Returns whether to continue.
  bool report_progress(RocksDBRefilterProgress progress = {}) {
    progress.files = report_.files;
    progress.bytes = report_.bytes;
    progress.files_left = files_left_;
    progress.bytes_left = bytes_left_;
    if (!stopped_ && options_.progress && !options_.progress(progress)) stopped_ = true;
    return !stopped_;
  }

  bool report_next(const Candidate& next) {
    RocksDBRefilterProgress progress;
    progress.path = sst::path_of(next.file.meta);
    progress.column_family = next.family->handle->GetName();
    progress.level = next.file.level;
    progress.file_bytes = next.file.meta.size;
    progress.reason = next.reason;
    return report_progress(std::move(progress));
  }

  /// Waits, and reports progress meanwhile.
  void wait_until(steady_clock::time_point then) {
    for (auto now = steady_clock::now(); now < then && report_progress(); now = steady_clock::now()) {
      std::this_thread::sleep_for(std::min<steady_clock::duration>(then - now, kBetweenReports));
    }
  }

  /// What is wrong with the file's filter; empty if nothing is, or if the file is gone or unreadable. Also empty for a
  /// file that this call has written and would not rewrite again (is_final), unless its filter does not work.
  std::string reason_to_rewrite(const FamilyPolicy& family, const refilter::TreeFile& file) {
    const std::string path = sst::path_of(file.meta);
    const sst::FileFilters filters = sst::read_filters(*db_.GetEnv()->GetFileSystem(), path);
    if (!filters.status.ok() && filters.damaged() == 0) {
      if (!sst::is_gone(filters.status)) report_.unreadable.push_back(path + ": " + filters.status.ToString());
      return "";  // a missing file was compacted meanwhile
    }
    const bool works = filters.blocks.empty() || filters.complaint().empty();
    if (works && is_final(file)) return "";
    return refilter::judge(family, file, filters);
  }

  /// Whether this call has rewritten the file often enough. With max_total_bytes, the plan for a file that was
  /// rewritten early may have changed since, because later filters have more or fewer keys than those they replaced.
  [[nodiscard]] bool is_final(const refilter::TreeFile& file) const {
    const auto rewrites = rewrites_.find(file.meta.file_number);
    return rewrites != rewrites_.end() && (tree_ == nullptr || rewrites->second >= kMaxRewrites);
  }

  /// The files whose filters are wrong.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    report_.unreadable.clear();
    files_left_ = bytes_left_ = 0;
    for (const FamilyPolicy& family : families_) {
      for (refilter::TreeFile& file : refilter::files_of(db_, family)) {
        if (!report_progress()) return {};
        std::string reason = reason_to_rewrite(family, file);
        if (!reason.empty()) found.push_back({&family, std::move(file), std::move(reason)});
      }
    }
    files_left_ = found.size();
    for (const Candidate& each : found) bytes_left_ += each.file.meta.size;
    return found;
  }

  void report_all() {
    for (const Candidate& each : candidates()) {
      if (!report_next(each)) break;
    }
    report_.status = outcome();
  }

  void rewrite_all() {
    const auto start = steady_clock::now();
    for (int pass = 0; pass < kMaxPasses && !stopped_; ++pass) {
      if (pass > 0) plan();
      std::vector<Candidate> wrong = candidates();
      std::erase_if(wrong, [&](const Candidate& each) { return is_final(each.file); });
      if (wrong.empty()) break;
      if (pass > 0) wait_until(steady_clock::now() + kBetweenPasses);
      for (const Candidate& each : wrong) {
        limit_rate(start);
        if (!report_next(each)) break;
        if (report_.status = rewrite(each); !report_.status.ok()) return report_.unreadable.clear();
      }
    }
    report_.status = outcome();
  }

  void limit_rate(steady_clock::time_point start) {
    if (options_.bytes_per_second == 0) return;
    const std::chrono::duration<double> least(static_cast<double>(report_.bytes) /
                                              static_cast<double>(options_.bytes_per_second));
    wait_until(start + std::chrono::duration_cast<steady_clock::duration>(least));
  }

  /// Checks for disk space, because RocksDB can abort the process if the disk is full.
  Status check_space(const Candidate& candidate) {
    const auto& [family, file, reason] = candidate;
    const auto filter_bytes = static_cast<std::uint64_t>(refilter::planned_bytes(*family, file));
    const std::uint64_t needed = file.meta.size + filter_bytes + kBytesForLogs;
    std::uint64_t free = 0;
    const Status known = db_.GetEnv()->GetFreeSpace(file.meta.directory, &free);
    if (!known.ok() || free >= needed) return Status::OK();
    return Status::NoSpace("crivo: folder must have " + std::to_string(needed) + " bytes free to rewrite " +
                           sst::path_of(file.meta) + ", got " + std::to_string(free));
  }

  /// Compacts one file. Fails only with errors that would affect any other file too.
  Status rewrite(const Candidate& candidate) {
    if (Status space = check_space(candidate); !space.ok()) return space;
    const rocksdb::SstFileMetaData& meta = candidate.file.meta;
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // uses the column family's
    std::vector<std::string> written;
    options.max_subcompactions = 1;  // in this thread
    if (tree_ != nullptr) tree_->list(db_);
    plugin::begin_refiltering(tree_);
    const ScopeExit ends(plugin::end_refiltering);
    Status status = db_.CompactFiles(options, candidate.family->handle, {sst::path_of(meta)}, candidate.file.level,
                                     path_id(candidate), &written);
    // Another compaction uses or has replaced the file. The next pass sees the result.
    const bool was_gone = status.IsInvalidArgument() && !exists(candidate);
    if (status.IsAborted() || status.IsIncomplete() || was_gone) return Status::OK();
    if (!status.ok()) return status;
    for (const std::string& path : written) rewrites_[sst::number_of(path)] = rewrites_[meta.file_number] + 1;
    report_.files += 1;
    report_.bytes += meta.size;
    files_left_ -= 1;
    bytes_left_ -= meta.size;
    return status;
  }

  [[nodiscard]] bool exists(const Candidate& candidate) {
    const auto is_same = [&](const refilter::TreeFile& file) {
      return file.meta.file_number == candidate.file.meta.file_number && file.level == candidate.file.level;
    };
    return std::ranges::any_of(refilter::files_of(db_, *candidate.family), is_same);
  }

  Status outcome() {
    if (stopped_) return Status::Incomplete("crivo: stopped by the progress callback");
    report_.files_left = files_left_;
    if (!report_.unreadable.empty()) return Status::Corruption("crivo: " + report_.unreadable.front());
    if (options_.dry_run || files_left_ == 0) return Status::OK();
    return Status::TryAgain(
        "crivo: " + std::to_string(files_left_) +
        " files are left: they were in other compactions, there was no memory for their filters, or their new filters "
        "also differ from what the policy would write");
  }

  rocksdb::DB& db_;
  const RocksDBRefilterOptions& options_;
  std::vector<FamilyPolicy> families_;
  std::shared_ptr<plugin::FilterTree> tree_;  // null if no filters have a limit
  std::map<std::uint64_t, int> rewrites_;     // file number -> the number of rewrites by this call that led to it
  bool stopped_ = false;
  std::uint64_t files_left_ = 0;
  std::uint64_t bytes_left_ = 0;
  RocksDBRefilterReport report_;
};

}  // namespace

RocksDBRefilterReport RefilterRocksDB(rocksdb::DB& db, const RocksDBRefilterOptions& options) {
  Refilter refilter(db, options);
  try {
    return refilter.run();
  } catch (const std::bad_alloc&) {
    return refilter.stopped_by(Status::MemoryLimit());  // without a message, which would need memory
  }
}

}  // namespace crivo
