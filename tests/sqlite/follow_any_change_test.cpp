// A filter has every value of the column that it follows after any change, also after a rebuild on a full disk.
#include "follow_statements.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

class FollowOfKind : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FollowOfKind, ::testing::ValuesIn(kTableKinds));

/// The kinds of source tables that a filter must support.
struct SourceTable {
  const char* name;
  const char* columns;
  const char* column;
};

constexpr SourceTable kSourceTables[] = {
    {"of any type", "(id INTEGER PRIMARY KEY, w UNIQUE, p)", "w"},
    {"where letters' case is nothing", "(id INTEGER PRIMARY KEY, w TEXT COLLATE NOCASE, p)", "w"},
    {"of reals", "(id INTEGER PRIMARY KEY, w REAL, p)", "w"},
    {"the key", "(id INTEGER PRIMARY KEY, w, p) WITHOUT ROWID", "id"},
    {"without rowid", "(id, w PRIMARY KEY, p) WITHOUT ROWID", "w"},
    {"that is computed", "(id INTEGER PRIMARY KEY, w, p, g AS (w || '!'))", "g"},
    {"that is computed and stored", "(id INTEGER PRIMARY KEY, w, p, g AS (lower(w)) STORED)", "g"},
};

/// Random statements. Some fail, with a duplicate or NULL key, and must then change nothing.
class Writer : FollowStatements {
 public:
  explicit Writer(std::uint64_t seed) : FollowStatements(seed) {}

  std::string step(Database& db) {
    if (sqlite3_get_autocommit(db.get()) != 0) depth_ = 0;  // OR ROLLBACK ends all savepoints
    switch (below(16)) {
      case 0:
        return std::string("PRAGMA recursive_triggers = ") + one_of({"0", "1"});
      case 1:
        return "SAVEPOINT p" + std::to_string(depth_++);
      case 2:
        if (depth_ == 0) return "SELECT 1";
        depth_ = below(depth_) + 1;
        return "ROLLBACK TO p" + std::to_string(depth_ - 1);
      case 3:
        return below(6) == 0 ? rebuild_of("f") : "SELECT 1";
      default:
        return write_sql(db, false);
    }
  }

 private:
  std::uint64_t depth_ = 0;
};

TEST_P(FollowOfKind, LacksNoValueWhateverIsWritten) {
  for (const SourceTable& source : kSourceTables) {
    SCOPED_TRACE(std::string("a column ") + source.name);
    Database db;
    const std::string column = source.column;
    const std::string arguments =
        "(capacity=500, fpr=1e-9, source=s0." + column + ", kind=" + std::string(GetParam()) + ")";
    for (const std::string& sql :
         {std::string("CREATE TABLE s0") + source.columns, std::string("CREATE TABLE words(w PRIMARY KEY)"),
          std::string("CREATE VIEW v0 AS SELECT id, w, p FROM s0"),
          std::string(
              "CREATE TRIGGER u0 INSTEAD OF INSERT ON v0 BEGIN INSERT INTO s0(id, w) VALUES (new.id, new.w); END"),
          std::string("INSERT OR IGNORE INTO s0(id, w) VALUES (1, 'a1'), (2, 'A1'), (3, 3), (4, x'61'), (5, 5.0)"),
          "CREATE VIRTUAL TABLE f USING bloom" + arguments}) {
      ASSERT_EQ(db.ask(sql), "");
    }
    Writer writer(7);
    for (int i = 0; i < 400; ++i) {
      const std::string sql = writer.step(db);
      const int status = db.run(sql);
      ASSERT_TRUE(status == SQLITE_OK || status == SQLITE_CONSTRAINT) << sql << ": " << sqlite3_errmsg(db.get());
      ASSERT_EQ(db.ask("SELECT count(*) FROM s0 WHERE " + column +
                       " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM f WHERE key = " + column + ")"),
                "0")
          << i << ": " << sql;
    }
    EXPECT_EQ(db.ask("INSERT INTO f(op) VALUES ('check')"), "");
    // After a rebuild, the filter has no value that the column no longer has.
    EXPECT_EQ(db.ask("INSERT INTO f(op) VALUES ('rebuild')"), "");
    EXPECT_EQ(db.ask("CREATE VIRTUAL TABLE fresh USING bloom" + arguments), "");
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
