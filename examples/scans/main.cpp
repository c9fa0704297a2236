// scans FOLDER: stores the paths of a folder's files in RocksDB, in the order of their last change, as a program that
// watches the folder would. So each SST file has paths from the whole tree, and RocksDB must read all SST files to list
// one folder. Lists every folder with and without scan filters, and counts the skipped SST files.
#include <crivo/rocksdb_scan.h>
#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct File {
  fs::file_time_type changed;
  std::string path;
};

std::vector<File> files_in(const fs::path& folder) {
  std::vector<File> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    files.push_back({entry.last_write_time(), fs::relative(entry.path(), folder).string()});
  }
  std::ranges::sort(files, [](const File& a, const File& b) { return a.changed < b.changed; });
  return files;
}

std::unique_ptr<rocksdb::DB> index_of(const std::vector<File>& files, const std::string& path) {
  constexpr std::size_t kSstFiles = 40;
  rocksdb::Options options;
  options.create_if_missing = options.error_if_exists = true;
  options.disable_auto_compactions = true;  // as in an index that is being filled
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> scans;
  if (!crivo::NewScanFilterCollectorFactory({.extract = "path:/"}, &scans).ok()) return nullptr;
  options.table_properties_collector_factories.push_back(scans);
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(options, path, &opened).ok()) return nullptr;
  std::unique_ptr<rocksdb::DB> db(opened);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!db->Put({}, files[i].path, std::to_string(files[i].changed.time_since_epoch().count())).ok()) return nullptr;
    if ((i + 1) % (files.size() / kSstFiles + 1) == 0 && !db->Flush({}).ok()) return nullptr;
  }
  return db->Flush({}).ok() ? std::move(db) : nullptr;
}

/// The found paths, and the costs.
struct Listing {
  std::vector<std::string> paths;
  std::uint64_t blocks = 0;
  double microseconds = 0;
};

void list(rocksdb::DB& db, const std::string& folder, rocksdb::ReadOptions read, Listing& listing) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t blocks =
      rocksdb::get_perf_context()->block_cache_hit_count + rocksdb::get_perf_context()->block_read_count;
  const std::string end = folder.substr(0, folder.size() - 1) + '0';  // the byte after '/'
  const rocksdb::Slice upper = end;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(read));
  for (at->Seek(folder); at->Valid(); at->Next()) listing.paths.push_back(at->key().ToString());
  listing.blocks +=
      rocksdb::get_perf_context()->block_cache_hit_count + rocksdb::get_perf_context()->block_read_count - blocks;
  listing.microseconds += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 || !fs::is_directory(arguments[1])) {
    std::fprintf(stderr, "usage: scans FOLDER\n");
    return 2;
  }
  const std::vector<File> files = files_in(arguments[1]);
  std::set<std::string> folders;
  for (const File& file : files) {
    if (const auto slash = file.path.rfind('/'); slash != std::string::npos)
      folders.insert(file.path.substr(0, slash + 1));
  }
  std::string database = (fs::temp_directory_path() / "crivo-scans-XXXXXX").string();
  if (mkdtemp(database.data()) == nullptr) return 1;
  bool right = false;
  if (const auto db = index_of(files, database + "/db")) {
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    Listing with, without;
    std::uint64_t asked = 0, skipped = 0;
    for (const std::string& folder : folders) {
      list(*db, folder, {}, without);
      const auto filter = crivo::ScanFilter::for_prefix(folder);
      rocksdb::ReadOptions filtered;
      if (!filter.apply_to(&filtered).ok()) return 1;
      list(*db, folder, filtered, with);
      asked += filter.asked();
      skipped += filter.skipped();
    }
    right = with.paths == without.paths && skipped > 0;
    const auto each = static_cast<double>(std::max<std::size_t>(folders.size(), 1));
    std::printf("%zu files, %zu folders listed, %zu paths found%s\n", files.size(), folders.size(), with.paths.size(),
                right ? "" : ": WRONG");
    std::printf("SST files skipped: %llu of %llu\n", static_cast<unsigned long long>(skipped),
                static_cast<unsigned long long>(asked));
    std::printf("for each folder: %.1f blocks and %.0f us; without filters %.1f blocks and %.0f us\n",
                static_cast<double>(with.blocks) / each, with.microseconds / each,
                static_cast<double>(without.blocks) / each, without.microseconds / each);
  }
  fs::remove_all(database);
  return right ? 0 : 1;
}
