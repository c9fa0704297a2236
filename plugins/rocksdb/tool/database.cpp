#include "tool/database.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/wal_filter.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "crivo/host/text.h"
#include "crivo/rocksdb.h"
#include "open_into.h"
#include "options/settings_parser.h"
#include "refilter/family_policy.h"
#include "report/counter_listener.h"
#include "report/filter_collector.h"
#include "sst/table_file.h"
#include "tool/commands.h"

namespace crivo::tool {
namespace {

namespace fs = std::filesystem;
using rocksdb::Status;

/// Discards all messages. With the default logger, RocksDB writes a LOG file even if it opens the database read-only.
class NoLog final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

/// Skips all records of the write-ahead log.
class NoRecord final : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "crivo.NoRecord"; }
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&, const rocksdb::WriteBatch&,
                                     rocksdb::WriteBatch*, bool*) override {
    return WalProcessingOption::kIgnoreCurrentRecord;
  }
};

using plugin::table_of;

/// OK if no other process has the database open. RocksDB itself checks only after it has replaced LOG.
Status check_lock(rocksdb::Env& env, const std::string& path) {
  rocksdb::FileLock* lock = nullptr;
  const Status locked = env.LockFile(path + "/LOCK", &lock);
  return locked.ok() ? env.UnlockFile(lock) : locked;
}

Refused cannot_open(const std::string& path, const Status& status) {
  Refused refused = rocksdb_error("DB must be readable by RocksDB", path, status);
  if (status.IsCorruption()) {
    refused.error.message +=
        "; a database with files in db_paths or cf_paths cannot be opened here, because OPTIONS does not name them";
  }
  return refused;
}

/// The files that RocksDB opens directly.
constexpr const char* kFirstLetters[] = {"CURRENT", "IDENTITY", "LOCK", "MANIFEST-", "OPTIONS-"};
constexpr const char* kExtensions[] = {".blob", ".log", ".sst"};

constexpr const char* kWalDir = "wal_dir in OPTIONS of DB";
constexpr const char* kLogDir = "db_log_dir in OPTIONS of DB";

/// A relative path in OPTIONS means another folder for this process, and a copied database may name the original's
/// folder. RocksDB would find or create an empty write-ahead log there, and lose the records of the real one.
void check_log_folder(const std::string& option, const std::string& folder, const std::string& path) {
  std::error_code error;
  if (folder.empty() || fs::equivalent(folder, path, error)) return;
  const auto refused = [&](const char* must) {
    return rocksdb_error(option + " must " + must, folder, Status::InvalidArgument(path));
  };
  if (!fs::path(folder).is_absolute()) throw refused("be an absolute path");
  if (option == kLogDir) return;
  if (!fs::is_directory(folder, error)) throw refused("exist and be a folder");
  if (fs::exists(fs::path(folder) / "CURRENT", error)) throw refused("not be the folder of another database");
  const fs::path from_db = fs::relative(folder, path, error);
  const bool within = !from_db.empty() && *from_db.begin() != "..";
  if (option == kWalDir && !within) throw refused("be in DB, or be set by --wal-dir");
  const auto has_log = [&](const std::string& of) {
    fs::directory_iterator files(of, error);
    return std::any_of(begin(files), end(files), [](const auto& file) { return file.path().extension() == ".log"; });
  };
  if (has_log(path) && !has_log(folder)) throw refused("be DB, which contains the log");
}

/// If a database has its own Env, such as an encrypting one, its files cannot be read directly.
void check_env(const std::string& path) {
  std::ifstream file(path + "/CURRENT", std::ios::binary);
  std::string current;
  if (!std::getline(file, current) || current.starts_with("MANIFEST-")) return;
  throw Refused("CURRENT of DB must name a manifest, got other bytes in " + path +
                ": a database in its own Env, such as an encrypting one, can be opened only by its own program");
}

/// RocksDB aborts if it opens a database on a full disk, because opening writes a new manifest and the WAL's contents.
void check_free_space(const std::string& path) {
  std::uint64_t needed = std::uint64_t{1} << 20;  // for LOG and OPTIONS
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    std::error_code gone;
    const bool is_counted = file.extension() == ".log" || file.filename().string().starts_with("MANIFEST-");
    if (const auto bytes = fs::file_size(file, gone); is_counted && !gone) needed += bytes;
  }
  const fs::space_info space = fs::space(path, error);
  if (error || space.available >= needed) return;
  throw Refused("folder of DB must have " + std::to_string(needed) + " bytes free, got " +
                std::to_string(space.available) + " in " + path);
}

}  // namespace

void check_no_pipe(const std::string& path, const std::string& rule) {
  const auto check = [](const std::string& must, const fs::path& file) {
    std::error_code error;
    if (!fs::is_other(fs::status(file, error))) return;
    throw Refused(must + ", got " + file.string() + ": it is a pipe, a socket or a device");
  };
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_opened =
        std::ranges::any_of(kFirstLetters, [&](const char* first) { return name.starts_with(first); }) ||
        std::ranges::any_of(kExtensions, [&](const char* last) { return name.ends_with(last); });
    if (is_opened) check("file of DB must be a regular file", entry->path());
  }
  check(rule, path);
}

DatabaseOptions load_options(const std::string& path, bool for_writing, const std::string& wal_dir) {
  check_no_pipe(path, "DB must be the folder of a database");
  if (std::error_code error; !fs::is_directory(path, error)) {
    throw Refused("DB must be the folder of a database, got " + text_or_nothing(path) +
                  (error ? ": " + error.message() : ""));
  }

  check_env(path);
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = !for_writing;
  config.ignore_unsupported_options = !for_writing;
  DatabaseOptions options;
  const Status loaded = rocksdb::LoadLatestOptions(config, path, &options.db, &options.families);
  if (!loaded.ok()) throw rocksdb_error("OPTIONS of DB must exist and name only known objects", path, loaded);
  if (!wal_dir.empty()) options.db.wal_dir = fs::absolute(wal_dir).string();
  check_no_pipe(options.db.wal_dir, "log folder must be a folder");
  if (for_writing) {
    check_log_folder(wal_dir.empty() ? kWalDir : "--wal-dir", options.db.wal_dir, path);
    check_log_folder(kLogDir, options.db.db_log_dir, path);
  }
  options.db.create_if_missing = false;
  options.db.create_missing_column_families = false;
  return options;
}

bool FamilyChoice::wants(const std::string& name) const {
  return name != sst::kStatisticsFamily && (names.empty() || std::ranges::count(names, name) != 0);
}

void FamilyChoice::check(const DatabaseOptions& options) const {
  for (const std::string& name : names) {
    if (wants(name) && std::ranges::count(options.families, name, &rocksdb::ColumnFamilyDescriptor::name) != 0)
      continue;
    throw Refused("--column-family must be one of the database's, got " + text_or_nothing(name));
  }
}

void add_family_option(CLI::App& command, FamilyChoice& families) {
  add_option(command, "--column-family", families.names, "Only this column family; may be repeated", "NAME")
      ->allow_extra_args(false);
}

void set_policy(rocksdb::ColumnFamilyOptions& family, const std::shared_ptr<const rocksdb::FilterPolicy>& policy) {
  const auto* const old = table_of(family);
  if (old == nullptr) throw Refused("table format must be BlockBasedTable, got another one");
  rocksdb::BlockBasedTableOptions table = *old;
  table.filter_policy = policy;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  auto& collectors = family.table_properties_collector_factories;
  if (policy == nullptr || !plugin::is_crivo_policy(*policy)) {
    // OPTIONS must not name an object that programs without the library do not know.
    plugin::remove<plugin::CollectorFactory>(collectors);
    return;
  }
  // RocksDB 7.8 cannot read an OPTIONS file with two collectors.
  if (collectors.empty()) collectors.push_back(NewRocksDBFilterCollectorFactory());
}

std::shared_ptr<const rocksdb::FilterPolicy> parse_policy(const std::string& text, const rocksdb::DBOptions& db) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  Status status = refilter::make_policy(text, &policy);
  if (status.ok()) status = policy->ValidateOptions(db, rocksdb::ColumnFamilyOptions());
  if (!status.ok()) {
    throw rocksdb_error("--policy must name a filter policy, such as crivo.Auto:10 or bloomfilter:10", text, status);
  }
  return policy;
}

Database Database::open_read_only(const DatabaseOptions& options, const std::string& path, bool with_log) {
  rocksdb::DBOptions read_only = options.db;
  NoRecord no_record;  // used only while the database opens
  if (!with_log) read_only.wal_filter = &no_record;
  read_only.info_log = std::make_shared<NoLog>();
  read_only.max_open_files = 16;  // no table is queried for keys
  read_only.skip_stats_update_on_db_open = true;
  // OPTIONS lacks db_paths. So these options name three more folders, which do not exist: opening then fails if the
  // database has a file in any folder but the first (RocksDB has at most four).
  read_only.paranoid_checks = true;
  read_only.db_paths = {{path, UINT64_MAX}};
  for (const char* const other : {"/db_paths[1]", "/db_paths[2]", "/db_paths[3]"}) {
    read_only.db_paths.emplace_back(path + other, UINT64_MAX);
  }
  Database database;
  const Status opened = plugin::open_into(&database.db_, [&](auto* db) {
    return rocksdb::DB::OpenForReadOnly(read_only, path, options.families, &database.families_, db);
  });
  if (!opened.ok()) throw cannot_open(path, opened);
  return database;
}

Database Database::open(const DatabaseOptions& options, const std::string& path) {
  check_free_space(path);
  if (const Status locked = check_lock(*options.db.env, path); !locked.ok()) {
    throw rocksdb_error("DB must be writable and not in use", path, locked);
  }
  Database database;
  const Status opened = plugin::open_into(&database.db_, [&](auto* db) {
    return rocksdb::DB::Open(options.db, path, options.families, &database.families_, db);
  });
  if (!opened.ok()) throw cannot_open(path, opened);
  return database;
}

bool Database::has_files() const {
  bool has_some = false;
  std::string only_in_log;
  for (rocksdb::ColumnFamilyHandle* const family : families_) {
    rocksdb::ColumnFamilyMetaData files;
    db_->GetColumnFamilyMetaData(family, &files);
    std::uint64_t entries = 0;
    db_->GetIntProperty(family, rocksdb::DB::Properties::kNumEntriesActiveMemTable, &entries);
    has_some |= files.file_count > 0;
    if (files.file_count == 0 && entries > 0) only_in_log = family->GetName();
  }
  if (!has_some || only_in_log.empty()) return has_some;
  throw Refused("column family " + printable(only_in_log) +
                " must have a file, got keys in the log only: OPTIONS does not say whether its files belong in "
                "db_paths or cf_paths; let its program flush it");
}

Database::~Database() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* handle : families_) db_->DestroyColumnFamilyHandle(handle);
}

}  // namespace crivo::tool
