#include "table_scripts.h"

#include <array>

namespace crivo::testing {

const std::vector<Script>& table_scripts() {
  static const std::vector<Script> all = {
      {"Create",
       false,
       {"CREATE VIRTUAL TABLE n USING bloom(capacity=50, kind='scalable:4', fpr=1e-9)", "INSERT INTO n(key) VALUES (1)",
        "SELECT key FROM n WHERE key = 1"}},
      {"Insert", true, {"INSERT INTO blocked(key) VALUES (31), ('a'), (0.5), (x'00')"}},
      {"InsertCounting", true, {"INSERT INTO counting(key) VALUES (31)"}},
      {"InsertSpectral", true, {"INSERT INTO spectral(key) VALUES (31), (1)"}},
      {"InsertOrIgnoreReturning", true, {"INSERT OR IGNORE INTO counting(key) VALUES (1), (31) RETURNING key"}},
      {"Probe", true, {"SELECT key FROM blocked WHERE key IN (1, 5, 31, 'a', x'00', 0.5)"}},
      {"Count", true, {"SELECT count FROM spectral WHERE key = 1", "SELECT count FROM counting WHERE key = 'absent'"}},
      {"Join",
       true,
       {"SELECT key FROM fresh JOIN scalable ON key = i",
        "SELECT 1 FROM fresh WHERE i IN (SELECT key FROM "
        "blocked WHERE key = i)"}},
      {"Delete", true, {"DELETE FROM counting WHERE key IN (1, 2, 'absent')"}},
      {"Grow", true, {"INSERT INTO scalable(key) SELECT i FROM fresh"}},
      {"GrowInSteps",
       false,
       {"INSERT INTO scalable(key) VALUES (31)", "INSERT INTO scalable(key) VALUES (32)",
        "INSERT INTO scalable(key) VALUES (33)"}},
      {"Merge", true, {"INSERT INTO blocked(op, arg) SELECT 'union', f FROM other"}},
      {"Snapshot",
       true,
       {"SELECT bloom_contains(bloom_snapshot('scalable'), 7)", "SELECT length(bloom_snapshot('counting'))"}},
      {"Clear", true, {"INSERT INTO scalable(op) VALUES ('clear')"}},
      {"Rebuild", true, {"INSERT INTO counting(op) VALUES ('rebuild')", "INSERT INTO counting(op) VALUES ('check')"}},
      {"Rename", true, {"ALTER TABLE blocked RENAME TO renamed"}},
      {"Drop", true, {"DROP TABLE scalable"}},
      {"Window",
       false,
       {"INSERT INTO windowed(op, arg) VALUES ('advance', 300)", "INSERT INTO windowed(key) SELECT i FROM fresh",
        "INSERT INTO windowed(op, arg) VALUES ('advance', 700)", "INSERT INTO windowed(op) VALUES ('rebuild')",
        "SELECT length(bloom_table_info('windowed'))"}},
      {"CreateFollowing", true, {"CREATE VIRTUAL TABLE n USING bloom(source='source.c', fpr=1e-9)"}},
      {"Follow", true, {"UPDATE source SET c = c + 30 WHERE c <= 8"}},
      {"RebuildFollowing", true, {"INSERT INTO follower(op) VALUES ('rebuild')"}},
      {"DropFollowing", true, {"DROP TABLE follower"}},
      {"Refused", true, {"SELECT key FROM blocked"}},
      {"Transaction",
       true,
       {"BEGIN", "INSERT INTO scalable(key) SELECT i FROM fresh", "SAVEPOINT s", "DELETE FROM counting WHERE key = 3",
        "INSERT INTO scalable(key) SELECT i + 100 FROM fresh", "ROLLBACK TO s", "SELECT 1 FROM scalable WHERE key = 31",
        "RELEASE s", "COMMIT"}},
  };
  return all;
}

void make_script_tables(Database& db) {
  db.run("CREATE TABLE old AS SELECT i FROM " + integers(1, 20));
  db.run("CREATE TABLE fresh AS SELECT i FROM " + integers(31, 38));
  db.run("CREATE TABLE other AS SELECT bloom_agg(i, 100, 1e-9) AS f FROM fresh");
  for (const std::string kind : {"blocked", "counting", "scalable", "spectral"}) {
    const std::string capacity = kind == "scalable" ? "20" : "100";
    db.run("CREATE VIRTUAL TABLE " + kind + " USING bloom(capacity=" + capacity + ", fpr=1e-9, kind=" + kind + ")");
    ASSERT_EQ(db.run("INSERT INTO " + kind + "(key) SELECT i FROM old"), SQLITE_OK);
  }
  db.run("CREATE VIRTUAL TABLE windowed USING bloom(capacity=100, fpr=1e-9, window=500, panes=5, clock=manual)");
  db.run("INSERT INTO windowed(op, arg) VALUES ('advance', 0)");
  ASSERT_EQ(db.run("INSERT INTO windowed(key) SELECT i FROM old"), SQLITE_OK);
  db.run("CREATE TABLE source AS SELECT i AS c FROM old");
  ASSERT_EQ(
      db.run("CREATE VIRTUAL TABLE follower USING bloom(source='source.c', capacity=100, fpr=1e-9, kind=counting)"),
      SQLITE_OK);
}

namespace {
constexpr std::array kTables = {"blocked", "counting", "scalable", "spectral", "windowed", "follower", "renamed", "n"};
}  // namespace

std::string look_at_tables(Database& db) {
  std::string seen = db.ask("SELECT group_concat(name) FROM sqlite_schema");
  for (const std::string table : kTables) {
    seen += " " + table + ":" +
            db.ask("SELECT total(i) FROM (SELECT i FROM old UNION SELECT i FROM fresh) CROSS JOIN " + table +
                   " ON key = i");
    if (db.ask("SELECT 1 FROM " + table + " WHERE key = 0").empty())
      seen += db.ask("INSERT INTO " + table + "(op) VALUES ('check')");
  }
  return seen;
}

int run_script(sqlite3* db, const Script& script, std::int64_t* answers) {
  int status = SQLITE_DONE;
  for (const char* sql : script.statements) {
    sqlite3_stmt* statement = nullptr;
    status = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    for (; status == SQLITE_ROW; status = sqlite3_step(statement)) *answers += 1 + sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE) break;
  }
  return status;
}

}  // namespace crivo::testing
