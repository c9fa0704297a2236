// A database as its OPTIONS file describes it.
//
// To open another program's database, this program needs the database's options: with a wrong comparator, reads find
// nothing, and without the merge operator, compactions fail. For writing, load_options therefore rejects unknown
// options and objects, before anything is opened.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "options/settings_parser.h"

namespace crivo::tool {

/// The options to open a database.
struct DatabaseOptions {
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

/// Reads the newest OPTIONS file. `wal_dir`, if not empty, replaces the option. With `for_writing`, this process must
/// know all objects in the file, and log folders must have absolute paths. The write-ahead log must be in the
/// database's folder or `wal_dir`, because the OPTIONS file of a copied database may name the original's log. Throws
/// Refused.
[[nodiscard]] DatabaseOptions load_options(const std::string& path, bool for_writing, const std::string& wal_dir = "");

/// Throws Refused if `path` is a pipe, a socket or a device (the message is `rule`), or if RocksDB would open such a
/// file in this folder. Opening a pipe would block until its other end is opened.
void check_no_pipe(const std::string& path, const std::string& rule);

/// The column families of a command; never that of persist_stats_to_disk.
struct FamilyChoice {
  std::vector<std::string> names;  // empty: all

  [[nodiscard]] bool wants(const std::string& name) const;
  /// Throws Refused unless the database has all of them.
  void check(const DatabaseOptions& options) const;
};
/// Declares --column-family. The choice must live until the command has run.
void add_family_option(CLI::App& command, FamilyChoice& families);

using plugin::policy_of;
/// Sets the policy. With a policy of Crivo's, installs Crivo's collector if there is no other; otherwise removes
/// Crivo's collector. Throws Refused.
void set_policy(rocksdb::ColumnFamilyOptions& family, const std::shared_ptr<const rocksdb::FilterPolicy>& policy);
/// Parses a policy as in option strings, "crivo.Auto:10", and validates it for a database with these options. Throws
/// Refused.
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> parse_policy(const std::string& text,
                                                                        const rocksdb::DBOptions& db = {});

/// An open database, with the handles of its column families in the order of the options.
class Database {
 public:
  /// Opens the database without a lock and without writing, so another process may have it open. Throws Refused, also
  /// if files are in db_paths or cf_paths. Without `with_log`, the write-ahead log is not read, so only keys in files
  /// are visible. Some databases can only be opened in this way, because only a TransactionDB can read their logs.
  [[nodiscard]] static Database open_read_only(const DatabaseOptions& options, const std::string& path,
                                               bool with_log = true);
  /// Opens the database for changes. Throws Refused, also if another process has the database open.
  [[nodiscard]] static Database open(const DatabaseOptions& options, const std::string& path);

  Database(Database&&) = default;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Whether the database has any SST file. If RocksDB opens a database for writing, it writes the log's keys into
  /// files in DB, because OPTIONS lacks db_paths and cf_paths. Only an existing file in DB shows that DB is the right
  /// folder. Throws Refused if some families have files, and another one has keys only in the log.
  [[nodiscard]] bool has_files() const;

  [[nodiscard]] rocksdb::DB& db() const noexcept { return *db_; }
  [[nodiscard]] const std::vector<rocksdb::ColumnFamilyHandle*>& families() const noexcept { return families_; }

 private:
  Database() = default;

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace crivo::tool
