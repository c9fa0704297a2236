// Random statements about columns that filter tables follow, with names that exist in the database.
#pragma once

#include <array>

#include "database.h"
#include "random_walk.h"

namespace crivo::testing {

/// Source tables are s0 to s3, filters f0 to f3, user's triggers u0 to u3 and t0 to t3 (temporary), and views v0 to v3.
/// A source has the columns id, p, and one whose name begins with w; it may have a generated column c. There are also
/// the tables log, once (without duplicate values) and words.
class FollowStatements : protected Random {
 public:
  /// Every second walk has STRICT tables. The other walks have functions that change the schema inside a statement,
  /// where SQLite 3.40 reads the freed definition of a STRICT table, with and without extensions.
  ///
  /// Every second pair of walks also has tables with ON CONFLICT FAIL, and triggers with RAISE(FAIL) or RAISE(IGNORE).
  explicit FollowStatements(std::uint64_t seed)
      : Random(seed), has_strict_tables_(seed % 2 != 0), has_fails_(seed / 2 % 2 != 0) {}

  [[nodiscard]] std::string once_sql() const {
    return std::string("CREATE TABLE once(x UNIQUE") + (has_fails_ ? " ON CONFLICT FAIL)" : ")");
  }

  std::string number(std::uint64_t bound) { return std::to_string(below(bound)); }

  static std::vector<std::string> list(Database& db, const std::string& sql) {
    std::vector<std::string> rows;
    Statement statement(db.get(), sql);
    while (statement.get() != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
      rows.push_back(statement.column_bytes());
    }
    return rows;
  }
  /// One of the existing names of this kind. Rollbacks and other connections change the names.
  std::string name(Database& db, const char* kind) {
    const std::vector<std::string> names = list(
        db, std::string("SELECT name FROM sqlite_schema WHERE name GLOB '") + kind + "[0-9]*' AND name NOT GLOB '*_*'");
    return names.empty() ? std::string(kind) + "0" : names[below(names.size())];
  }
  std::string column(Database& db, const std::string& table, const char* kind) {
    const std::vector<std::string> names =
        list(db, "SELECT name FROM pragma_table_xinfo('" + table + "') WHERE name GLOB '" + kind + "*'");
    return names.empty() ? "w" : names[below(names.size())];
  }
  std::string new_name(const char* kind) { return std::string(kind) + number(4); }

  std::string value() {
    std::string n = number(12);
    switch (below(8)) {
      case 0:
        return n + ".5";
      case 1:
        return "CAST('a" + n + "' AS BLOB)";
      case 2:
        return "NULL";
      case 3:
        return n;
      case 4:
        return n + ".0";
      case 5:
        return "'A" + n + "'";
      default:
        return "'a" + n + "'";
    }
  }

  std::string table_sql(const std::string& table) {
    static constexpr std::array kShapes = {
        "(id INTEGER PRIMARY KEY, w, p INTEGER REFERENCES @(id) ON DELETE CASCADE ON UPDATE CASCADE)",
        "(id INTEGER PRIMARY KEY, w UNIQUE, p)",
        "(id INT PRIMARY KEY, w COLLATE NOCASE, p) WITHOUT ROWID",
        "(id INTEGER PRIMARY KEY, w TEXT, p, c AS (w || '!'))",
        "(id INTEGER PRIMARY KEY, w REFERENCES words ON DELETE CASCADE ON UPDATE CASCADE, p)",
        "(id INTEGER PRIMARY KEY, w REFERENCES words ON DELETE SET NULL ON UPDATE SET DEFAULT DEFERRABLE INITIALLY "
        "DEFERRED, p)",
        "(id INTEGER PRIMARY KEY, w REFERENCES @(id) ON DELETE SET NULL ON UPDATE CASCADE, p)",
        "(id INTEGER PRIMARY KEY, w NOT NULL DEFAULT 'a3', p, c AS (ifnull(w, '-') || ifnull(p, '')) STORED)",
        "(id INTEGER PRIMARY KEY, w UNIQUE ON CONFLICT FAIL, p)",
        "(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, w UNIQUE ON CONFLICT IGNORE, p)",
        "(id INTEGER PRIMARY KEY, w ANY, p INTEGER, c TEXT AS (w || p)) STRICT"};
    std::string shape = kShapes[below(kShapes.size() - (has_strict_tables_ ? 0 : 1))];  // the last is STRICT
    if (const std::size_t at = shape.find(" ON CONFLICT FAIL"); at != std::string::npos && !has_fails_)
      shape.erase(at, 17);
    if (const std::size_t at = shape.find('@'); at != std::string::npos) shape.replace(at, 1, table);
    return "CREATE TABLE " + table + shape;
  }
  std::string filter_sql(Database& db) {
    const std::string table = name(db, "s");
    return "CREATE VIRTUAL TABLE " + new_name("f") + " USING bloom(fpr=1e-9, kind=" +
           one_of({"counting", "counting", "growing", "growing", "blocked", "scalable", "spectral"}) + ", source='" +
           table + "." + column(db, table, "[wc]") + "')";
  }
  static std::string rebuild_of(const std::string& filter) {
    return "INSERT INTO " + filter + "(op) VALUES ('rebuild')";
  }
  /// A statement that the application's function may run inside another statement.
  std::string nested(Database& db) {
    std::string sql;
    switch (has_strict_tables_ ? 3 + below(5) : below(8)) {
      case 0:
        sql = filter_sql(db);
        break;
      case 1:
        sql = "ALTER TABLE " + name(db, "f") + " RENAME TO " + new_name("f");
        break;
      case 2:
        sql = "CREATE TABLE IF NOT EXISTS other" + number(3) + "(x)";
        break;
      case 3:
        sql = write_sql(db, false);
        break;
      default:
        sql = rebuild_of(name(db, "f"));
    }
    std::string quoted;
    for (const char c : sql) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return "run('" + quoted + "')";
  }

  std::string write_sql(Database& db, bool may_nest) {
    const std::string table = name(db, "s");
    const std::string w = column(db, table, "w");
    const std::string row = "(" + number(30) + ", " + value() + ", " + one_of({"NULL", "NULL", "1", "2", "7"}) + ")";
    const std::string conflict = one_of(
        {"", "", " OR IGNORE", " OR REPLACE", " OR REPLACE", " OR ABORT", " OR ROLLBACK", " OR FAIL", " OR FAIL"});
    const std::string into = "INSERT" + conflict + " INTO " + table + "(id, " + w + ", p) ";
    const std::string where = " WHERE id " + std::string(one_of({"=", "=", "<", ">"})) + " " + number(30);
    std::string sql;
    switch (below(9)) {
      case 0:
        sql = into + "VALUES " + row + ", (" + number(30) + ", " + value() + ", 1), (" + number(30) + ", 'a1', NULL)";
        break;
      case 1:
        sql = "INSERT INTO " + table + "(id, " + w + ", p) VALUES " + row + " ON CONFLICT DO " +
              (below(3) == 0 ? std::string("NOTHING") : "UPDATE SET " + w + " = " + value());
        break;
      case 2:
        sql = "UPDATE" + conflict + " " + table + " SET " + w + " = " + value() + where;
        break;
      case 3:
        sql = "UPDATE" + conflict + " " + table + " SET id = id + " + number(3) + where;
        break;
      case 4:
        sql = "DELETE FROM " + table + (below(20) == 0 ? "" : where);
        break;
      case 5:
        return one_of({"DELETE FROM words WHERE w = 'a1'", "UPDATE OR REPLACE words SET w = 'a2' WHERE w = 'a1'",
                       "INSERT OR IGNORE INTO words VALUES ('a1'), ('a2'), (3), (4), ('a5'), ('a7')"});
      case 6:
        return "INSERT INTO " + name(db, "v") + " VALUES " + row;
      case 7:
        sql = into + "SELECT id + 1, " + w + ", NULL FROM " + table + where + " LIMIT 5";
        break;
      default:
        sql = into + "VALUES " + row;
    }
    if (may_nest && below(5) == 0) sql += " RETURNING " + (below(3) == 0 ? "id" : nested(db));
    if (may_nest && sql.find("RETURNING") == std::string::npos && below(3) == 0) sql += returning_sql(db, table, w);
    return sql;
  }
  /// A RETURNING clause that checks whether the filter of the column has the value that is being written, unless a
  /// trigger has already changed the value.
  static std::string returning_sql(Database& db, const std::string& table, const std::string& w) {
    const std::vector<std::string> filters =
        list(db, "SELECT name FROM sqlite_schema WHERE sql GLOB '*USING bloom(*' AND json_extract(bloom_table_info(" +
                     std::string("name), '$.source') = '") + table + "." + w + "'");
    if (filters.empty()) return "";
    const std::string written = table + "." + w;
    return " RETURNING NOT EXISTS (SELECT 1 FROM " + table + " AS x WHERE CAST(x." + w + " AS BLOB) = CAST(" + written +
           " AS BLOB)) OR EXISTS (SELECT 1 FROM " + filters[0] + " WHERE key = " + written + ") AS is_found";
  }
  std::string trigger_sql(Database& db, const std::string& table) {
    const bool before = below(3) == 0;
    // If a BEFORE trigger changes the same row before a FAIL, no trigger reports the value of the generated column.
    const bool may_write = !before || column(db, table, "c") != "c";
    const std::string event = one_of({"INSERT", "UPDATE", "DELETE"});
    const std::string row = event == "INSERT" ? "new" : "old";
    const std::string when = below(2) == 0 ? "" : " WHEN " + row + ".id % 3 = " + number(3);
    std::string body;
    switch (below(may_write ? 8 : 4)) {
      case 0:
        body = rebuild_of(name(db, "f"));
        break;
      case 1:
        body = "INSERT INTO log VALUES (" + row + ".id)";
        break;
      case 2:
        body = "SELECT RAISE(" +
               std::string(has_fails_ ? one_of({"IGNORE", "ABORT, ''", "ROLLBACK, ''", "FAIL, ''"})
                                      : one_of({"ABORT, ''", "ROLLBACK, ''"})) +
               ")";
        break;
      case 3:
        body = "INSERT INTO once VALUES (" + number(3) + ")";
        break;
      case 4:
        body = "SELECT " + nested(db);
        break;
      case 5:
        body = "DELETE FROM " + table + " WHERE id = " + row + ".id + " + number(3);
        break;
      case 6:
        body = "UPDATE " + table + " SET " + column(db, table, "w") + " = " + value() + " WHERE id = " + row +
               ".id + " + number(3);
        break;
      default:
        body = "INSERT OR REPLACE INTO " + name(db, "s") + "(id, w) VALUES (" + row + ".id + 1, " + value() + ")";
    }
    const bool is_temporary = below(4) == 0;
    return std::string("CREATE ") + (is_temporary ? "TEMP TRIGGER " + new_name("t") : "TRIGGER " + new_name("u")) +
           (before ? " BEFORE " : " AFTER ") + event + " ON " + table + when + " BEGIN " + body + "; " +
           (below(3) == 0 ? rebuild_of(name(db, "f")) + "; " : "") + "END";
  }

 private:
  bool has_strict_tables_;
  bool has_fails_;
};

}  // namespace crivo::testing
