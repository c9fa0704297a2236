// Reports the filters of each live file of a database, as sst/ reads them.
#include "crivo/rocksdb_verify.h"

#include <rocksdb/env.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "options/settings_parser.h"
#include "sst/file_filters.h"
#include "sst/table_file.h"
#include "sst/text_table.h"

namespace crivo {
namespace {

using rocksdb::LiveFileMetaData;

/// Why a column family with these options does not query the filters of a file; empty if it does.
std::string obstacle_of(const rocksdb::Options& options, const sst::FileFilters& filters) {
  const auto* const table = plugin::table_of(options);
  if (table == nullptr) return "the column family is open with a table format that reads no filters";
  const std::string obstacle = sst::obstacle_of(table->filter_policy.get(), filters);
  return obstacle.empty() ? "" : "the column family is open " + obstacle;
}

class Families {
 public:
  Families(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) : all_(handles.empty()) {
    for (rocksdb::ColumnFamilyHandle* handle : handles) options_.emplace(handle->GetName(), db.GetOptions(handle));
    // Without handles, RocksDB shows only the default column family's options.
    if (all_) options_.emplace(db.DefaultColumnFamily()->GetName(), db.GetOptions());
  }

  [[nodiscard]] bool wants(const std::string& name) const {
    return all_ ? name != sst::kStatisticsFamily : options_.count(name) != 0;
  }
  [[nodiscard]] std::string obstacle(const std::string& name, const sst::FileFilters& filters) const {
    const auto found = options_.find(name);
    if (found != options_.end()) return obstacle_of(found->second, filters);
    return "the column family's policy is unknown, because its handle was not passed";
  }

 private:
  bool all_;
  std::map<std::string, rocksdb::Options> options_;
};

std::vector<LiveFileMetaData> live_files(rocksdb::DB& db) {
  std::vector<LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  std::ranges::sort(files, {}, [](const LiveFileMetaData& file) {
    return std::tie(file.column_family_name, file.level, file.relative_filename);
  });
  return files;
}

RocksDBFileFilter describe(const LiveFileMetaData& file, const sst::FileFilters& filters, const Families& families) {
  RocksDBFileFilter filter;
  filter.column_family = file.column_family_name;
  filter.level = file.level;
  filter.path = sst::path_of(file);
  filter.file_bytes = file.size;
  filter.status = filters.status;
  filter.policy = filters.policy;
  filter.kind = filters.kind();
  filter.key_transform = filters.key_transform();
  filter.partitioned = filters.form == sst::FilterForm::kPartitioned;
  filter.blocks = filters.blocks.size();
  filter.damaged = filters.damaged();
  filter.entries = filters.entries;
  filter.keys = filters.keys;
  filter.bytes = filters.bytes();
  filter.bits_per_key = filters.figures().bits_per_key();
  filter.current_fp_rate = filters.current_fp_rate();
  for (const sst::ScanFacts& scan : filters.scans) filter.scan_bytes += scan.bytes;
  filter.scans = sst::scans_text(filters.scans);
  filter.complaint = filters.complaint();
  if (filter.complaint.empty() && filter.blocks != 0)
    filter.complaint = families.obstacle(file.column_family_name, filters);
  return filter;
}

std::string row_of(const RocksDBFileFilter& file) {
  return sst::row_text({.level = sst::level_text(file.level),
                        .figures = {file.kind, file.keys, file.bytes, file.current_fp_rate},
                        .what = sst::file_text(file.path, file.column_family),
                        .scans = file.scans,
                        .complaint = file.complaint});
}

}  // namespace

RocksDBFilterReport VerifyRocksDBFilters(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  RocksDBFilterReport report;
  const Families families(db, handles);
  const auto file_system = db.GetEnv()->GetFileSystem();
  std::set<std::string> gone;
  for (const LiveFileMetaData& file : live_files(db)) {
    if (!families.wants(file.column_family_name)) continue;
    report.files.push_back(describe(file, sst::read_filters(*file_system, sst::path_of(file)), families));
    if (sst::is_gone(report.files.back().status)) gone.insert(report.files.back().path);
  }
  // A missing file that the database no longer lists was compacted meanwhile.
  if (!gone.empty()) {
    for (const LiveFileMetaData& file : live_files(db)) gone.erase(sst::path_of(file));
    std::erase_if(report.files, [&](const RocksDBFileFilter& file) { return gone.count(file.path) != 0; });
  }
  for (const RocksDBFileFilter& file : report.files) {
    if (report.status.ok()) report.status = file.status;
  }
  return report;
}

bool RocksDBFilterReport::all_filters_work() const noexcept {
  return std::ranges::all_of(files, [](const RocksDBFileFilter& file) { return file.filter_works(); });
}

std::string RocksDBFilterReport::text() const {
  std::string table(sst::kTableHeading);
  for (const RocksDBFileFilter& file : files) table += row_of(file);
  return table;
}

}  // namespace crivo
