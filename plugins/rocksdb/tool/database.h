// A database as its OPTIONS file describes it.
//
// A program that opens somebody's database must have its options: with another comparator it finds nothing, and without
// the merge operator a compaction cannot join what was merged. RocksDB would go on without what it does not know, so
// here an option that names something unknown is an error, before anything is opened.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace crivo::tool {

/// Options from which a database can be opened.
struct DatabaseOptions {
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

/// Reads the newest OPTIONS file. With `for_writing`, everything that it names must be known in this process, folders
/// too. `wal_dir`, if there is one, takes the place of the one there: without it, the log must lie in the database's
/// folder, because a copy of a database names the log of the original. Throws Refused.
[[nodiscard]] DatabaseOptions load_options(const std::string& path, bool for_writing, const std::string& wal_dir = "");

/// To open a pipe is to wait for its other end. Throws Refused for a file that is one, which breaks the `rule`,
/// or a folder with one that RocksDB would open.
void check_no_pipe(const std::string& path, const std::string& rule);

/// The column families that a command is for.
struct FamilyChoice {
  std::vector<std::string> names;  // none: all of them

  [[nodiscard]] bool wants(const std::string& name) const;
  /// Throws Refused unless the database has each of them.
  void check(const DatabaseOptions& options) const;
};
/// Declares --column-family. The choice must live until the command has run.
void add_family_option(CLI::App& command, FamilyChoice& families);

/// The filter policy of a column family; null if it has none or another table format.
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> policy_of(const rocksdb::ColumnFamilyOptions& family);
/// Sets it, and has its files say which filter they have if it is one of Crivo's. Throws Refused.
void set_policy(rocksdb::ColumnFamilyOptions& family, const std::shared_ptr<const rocksdb::FilterPolicy>& policy);
/// A policy for a database with these options, from its name in option strings, "crivo.Auto:10". Throws Refused.
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> parse_policy(const std::string& text,
                                                                        const rocksdb::DBOptions& db = {});

/// An open database with the handles of its column families, in the order of the options.
class Database {
 public:
  /// Opens it without a lock and without writing anything, so that another process may have it open. Throws
  /// Refused, also where files lie in db_paths or cf_paths. Only a TransactionDB can read each of its logs: without
  /// `with_log`, there are only the keys in files.
  [[nodiscard]] static Database open_read_only(const DatabaseOptions& options, const std::string& path,
                                               bool with_log = true);
  /// Opens it to change it. Throws Refused, also where another process has it open.
  [[nodiscard]] static Database open(const DatabaseOptions& options, const std::string& path);

  Database(Database&&) = default;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Whether it has any SST file. As RocksDB opens a database for writing, it writes what is in the log into files, and
  /// without db_paths and cf_paths, which OPTIONS does not have, into DB: only a file that lies there shows that this
  /// is right. Throws Refused for a column family with keys in the log and no file.
  [[nodiscard]] bool has_files() const;

  [[nodiscard]] rocksdb::DB& db() const noexcept { return *db_; }
  [[nodiscard]] const std::vector<rocksdb::ColumnFamilyHandle*>& families() const noexcept { return families_; }

 private:
  Database() = default;

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace crivo::tool
