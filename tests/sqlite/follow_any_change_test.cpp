// A filter has every value of the column that it follows after any change, also after a rebuild on a full disk.
#include <random>

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

class FollowOfKind : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FollowOfKind,
                         ::testing::Values("blocked", "counting", "growing", "scalable", "spectral"));

/// The kinds of source tables that a filter must support.
struct SourceTable {
  const char* name;
  const char* sql;
  const char* column;
};

constexpr SourceTable kSourceTables[] = {
    {"of any type", "CREATE TABLE s(id INTEGER PRIMARY KEY, c UNIQUE)", "c"},
    {"where letters' case is nothing", "CREATE TABLE s(id INTEGER PRIMARY KEY, c TEXT COLLATE NOCASE)", "c"},
    {"of reals", "CREATE TABLE s(id INTEGER PRIMARY KEY, c REAL)", "c"},
    {"the key", "CREATE TABLE s(id INTEGER PRIMARY KEY, c) WITHOUT ROWID", "id"},
    {"without rowid", "CREATE TABLE s(id, c PRIMARY KEY) WITHOUT ROWID", "c"},
    {"that is computed", "CREATE TABLE s(id INTEGER PRIMARY KEY, c, g AS (c || '!'))", "g"},
    {"that is computed and stored", "CREATE TABLE s(id INTEGER PRIMARY KEY, c, g AS (lower(c)) STORED)", "g"},
};

/// Random statements on a source. Some fail, with a duplicate or NULL key, and must then change nothing.
class Writer {
 public:
  Writer(unsigned seed, bool with_rowid) : random_(seed), with_rowid_(with_rowid) {}

  std::string step() {
    const std::string id = std::to_string(up_to(40));
    const std::string c = value();
    switch (up_to(15)) {
      case 0:
        return "UPDATE s SET c = " + c + " WHERE id = " + id;
      case 1:
        return "UPDATE OR REPLACE s SET c = " + c + " WHERE id = " + id;
      case 2:
        return "UPDATE OR IGNORE s SET " + std::string(with_rowid_ ? "rowid" : "id") + " = " +
               std::to_string(up_to(60)) + " WHERE id = " + id;
      case 3:
        return "UPDATE s SET c = upper(c) WHERE id < " + id;
      case 4:
        return "DELETE FROM s WHERE id = " + id;
      case 5:
        return up_to(9) == 0 ? "DELETE FROM s" : "DELETE FROM s WHERE c = " + c;
      case 6:
        return "INSERT OR IGNORE INTO s(id, c) SELECT id + 1, c FROM s";
      case 7:
        return "INSERT OR REPLACE INTO s(id, c) VALUES (" + id + ", " + c + "), (" + id + " + 1, " + value() + ")";
      case 8:
        return "INSERT INTO s(id, c) VALUES (" + id + ", " + c + ") ON CONFLICT DO UPDATE SET c = " + value();
      case 9:
        return std::string("PRAGMA recursive_triggers = ") + (up_to(1) != 0 ? "1" : "0");
      case 10:
        return "SAVEPOINT s" + std::to_string(depth_++);
      case 11:
        if (depth_ == 0) return "SELECT 1";
        depth_ = up_to(depth_ - 1) + 1;
        return "ROLLBACK TO s" + std::to_string(depth_ - 1);
      case 12:
        return up_to(5) == 0 ? "INSERT INTO f(op) VALUES ('rebuild')" : "SELECT 1";
      default:
        return "INSERT OR FAIL INTO s(id, c) VALUES (" + id + ", " + c + "), (" + std::to_string(up_to(40)) + ", " +
               value() + ")";
    }
  }

 private:
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  std::string value() {
    std::string n = std::to_string(up_to(30));
    switch (up_to(6)) {
      case 0:
        return n;
      case 1:
        return n + ".0";
      case 2:
        return "'a" + n + "'";
      case 3:
        return "'A" + n + "'";
      case 4:
        return "CAST('a" + n + "' AS BLOB)";
      case 5:
        return up_to(1) != 0 ? "NULL" : "'" + n + "'";
      default:
        return "-" + n + ".5";
    }
  }

  std::mt19937 random_;
  bool with_rowid_;
  int depth_ = 0;
};

TEST_P(FollowOfKind, LacksNoValueWhateverIsWritten) {
  for (const SourceTable& source : kSourceTables) {
    SCOPED_TRACE(std::string("a column ") + source.name);
    Database db;
    const auto run = [&db](const std::string& sql) { return db.run(sql); };
    ASSERT_EQ(run(source.sql), SQLITE_OK);
    ASSERT_EQ(run("INSERT OR IGNORE INTO s(id, c) VALUES (1, 'a1'), (2, 'A1'), (3, 3), (4, x'61'), (5, 5.0)"),
              SQLITE_OK);
    const std::string column = source.column;
    ASSERT_EQ(db.ask("CREATE VIRTUAL TABLE f USING bloom(capacity=500, fpr=1e-9, source=s." + column +
                     ", kind=" + GetParam() + ")"),
              "");
    Writer writer(7, std::string(source.sql).find("WITHOUT") == std::string::npos);
    for (int i = 0; i < 400; ++i) {
      const std::string sql = writer.step();
      const int status = run(sql);
      ASSERT_TRUE(status == SQLITE_OK || status == SQLITE_CONSTRAINT) << sql << ": " << sqlite3_errmsg(db.get());
      ASSERT_EQ(db.ask("SELECT count(*) FROM s WHERE " + column +
                       " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM f WHERE key = " + column + ")"),
                "0")
          << i << ": " << sql;
    }
    EXPECT_EQ(db.ask("INSERT INTO f(op) VALUES ('check')"), "");
    // After a rebuild, the filter has no value that the column no longer has.
    EXPECT_EQ(db.ask("INSERT INTO f(op) VALUES ('rebuild')"), "");
    EXPECT_EQ(db.ask("CREATE VIRTUAL TABLE fresh USING bloom(capacity=500, fpr=1e-9, source=s." + column +
                     ", kind=" + GetParam() + ")"),
              "");
    EXPECT_EQ(db.ask("SELECT bloom_snapshot('f') = bloom_snapshot('fresh')"), "1");
  }
}

TEST_P(FollowOfKind, HasItsOldKeysWhenTheDiskIsFull) {
  const std::string path = new_database("follow_full.db");
  Database db(path.c_str());
  db.run("PRAGMA synchronous = 0");
  ASSERT_EQ(db.run("CREATE TABLE s(c)"), SQLITE_OK);
  ASSERT_EQ(db.run("INSERT INTO s SELECT i FROM " + integers(1, 3000)), SQLITE_OK);
  ASSERT_EQ(
      db.ask(std::string("CREATE VIRTUAL TABLE f USING bloom(source='s.c', capacity=6000, kind=") + GetParam() + ")"),
      "");
  const auto pages = std::stoi(db.ask("PRAGMA page_count"));
  bool done = false;
  for (int more = 0; !done; more += 1 + more / 4) {
    db.run("BEGIN");
    db.run("INSERT INTO s VALUES ('in the transaction')");
    db.ask("PRAGMA max_page_count = " + std::to_string(pages + more));
    const int status = db.run("INSERT INTO f(op) VALUES ('rebuild')");
    ASSERT_TRUE(status == SQLITE_OK || status == SQLITE_FULL) << sqlite3_errmsg(db.get());
    done = status == SQLITE_OK;
    ASSERT_EQ(db.ask("SELECT count(*) FROM s WHERE NOT EXISTS (SELECT 1 FROM f WHERE key = c)"), "0") << more;
    ASSERT_EQ(db.ask("INSERT INTO f(op) VALUES ('check')"), "");
    if (sqlite3_get_autocommit(db.get()) == 0) db.run("ROLLBACK");
  }
}

}  // namespace
}  // namespace crivo::testing
