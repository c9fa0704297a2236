#include "table/shadow_tables.h"

#include <algorithm>
#include <utility>

namespace crivo::sqlite {
namespace {

constexpr std::string_view kMeta = "meta";
constexpr std::string_view kPages = "pages";

/// The overhead of a blob that fits a b-tree leaf: the 35 bytes that SQLite reserves (file format, "B-tree cell payload
/// overflow"), and the header of a record with a blob.
constexpr std::size_t kLeafOverhead = 35;
constexpr std::size_t kRecordHeader = 5;

}  // namespace

ShadowTables::ShadowTables(sqlite3* db, std::string schema, std::string table)
    : db_(db),
      schema_(std::move(schema)),
      table_(std::move(table)),
      meta_(db, "SELECT value FROM " + name_of(kMeta) + " WHERE name = ?1"),
      set_meta_(db, "INSERT OR REPLACE INTO " + name_of(kMeta) + " VALUES (?1, ?2)"),
      unset_meta_(db, "DELETE FROM " + name_of(kMeta) + " WHERE name = ?1"),
      page_(db, "SELECT bits FROM " + name_of(kPages) + " WHERE page_no = ?1"),
      insert_page_(db, "INSERT INTO " + name_of(kPages) + " VALUES (?1, ?2)"),
      update_page_(db, "UPDATE " + name_of(kPages) + " SET bits = ?2 WHERE page_no = ?1"),
      unset_pages_(db, "DELETE FROM " + name_of(kPages) + " WHERE page_no BETWEEN ?1 AND ?2"),
      next_page_(db, "SELECT page_no, bits FROM " + name_of(kPages) + " WHERE page_no >= ?1 ORDER BY page_no") {}

std::string ShadowTables::name_of(std::string_view suffix) const {
  return (schema_.empty() ? "" : quoted_name(schema_) + ".") + quoted_name(table_ + "_" + std::string(suffix));
}

std::size_t ShadowTables::max_row_bytes() const {
  Statement statement(db_, "PRAGMA " + quoted_name(schema_) + ".page_size");
  Use use(statement);
  const std::int64_t bytes = use.step() ? use.integer(0) : 4096;
  int reserved = -1;  // reads the value without changing it
  sqlite3_file_control(db_, schema_.c_str(), SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  return static_cast<std::size_t>(bytes - std::max(reserved, 0)) - kLeafOverhead - kRecordHeader;
}

void ShadowTables::create() {
  run_sql(db_, "CREATE TABLE " + name_of(kMeta) + "(name TEXT PRIMARY KEY, value) WITHOUT ROWID");
  run_sql(db_, "CREATE TABLE " + name_of(kPages) + "(page_no INTEGER PRIMARY KEY, bits BLOB)");
}

void ShadowTables::drop() {
  for (const std::string_view suffix : {kMeta, kPages}) run_sql(db_, "DROP TABLE IF EXISTS " + name_of(suffix));
}

void ShadowTables::rename(const std::string& table) {
  for (const std::string_view suffix : {kMeta, kPages}) {
    const std::string renamed = quoted_name(table + "_" + std::string(suffix));
    run_sql(db_, "ALTER TABLE " + name_of(suffix) + " RENAME TO " + renamed);
  }
}

std::optional<std::string> ShadowTables::read_meta(std::string_view name) {
  Use use(meta_);
  use.bind(1, name);
  if (!use.step()) return std::nullopt;
  if (use.type(0) == SQLITE_TEXT) return std::string(use.text(0));
  throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row '" + std::string(name) + "'"};
}

bool ShadowTables::meta_equals(std::string_view name, std::string_view text) {
  Use use(meta_);
  return use.bind(1, name).step() && use.type(0) == SQLITE_TEXT && use.text(0) == text;
}

void ShadowTables::write_meta(std::string_view name, std::string_view text) {
  Use(set_meta_).bind(1, name).bind(2, text).run();
  if (sqlite3_changes(db_) != 1)
    throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must store every written row, got a write without effect"};
}

void ShadowTables::erase_meta(std::string_view name) { Use(unset_meta_).bind(1, name).run(); }

// SQLite overwrites a row of the same size in place. The number of changes is checked, because a foreign trigger on the
// table can suppress the write, which would lose keys without an error.
void ShadowTables::write_page(std::int64_t number, std::span<const std::byte> row, bool is_new) {
  Use(is_new ? insert_page_ : update_page_).bind(1, number).bind(2, row).run();
  if (sqlite3_changes(db_) == 1) return;
  throw HostError{SQLITE_CORRUPT_VTAB, "table _pages must store every written row, got a write without effect"};
}

void ShadowTables::erase_pages(std::int64_t first, std::int64_t last) {
  Use(unset_pages_).bind(1, first).bind(2, last).run();
}

std::span<const std::byte> ShadowTables::row_of(const Use& use, int column) {
  return use.type(column) == SQLITE_BLOB ? use.blob(column) : std::span<const std::byte>();
}

bool ShadowTables::is_shadow_suffix(std::string_view suffix) noexcept { return suffix == kMeta || suffix == kPages; }

}  // namespace crivo::sqlite
