// bloom_insert gives the same filter as bloom_add, is atomic, and loses no acknowledged key.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

/// Runs `work(db)`, which returns whether it succeeded, in a separate process, for which wait_for() waits. The process
/// opens its own connection, because SQLite's connections must not be used across a fork.
template <class Work>
[[nodiscard]] pid_t in_other_process(const std::string& path, const Work& work) {
  const pid_t child = fork();
  EXPECT_GE(child, 0);
  if (child != 0) return child;
  sqlite3* db = nullptr;
  bool ok = sqlite3_open(path.c_str(), &db) == SQLITE_OK && sqlite3_enable_load_extension(db, 1) == SQLITE_OK &&
            sqlite3_load_extension(db, CRIVO_SO, nullptr, nullptr) == SQLITE_OK;
  sqlite3_busy_timeout(db, 3'600'000);
  ok = ok && work(db);
  if (!ok) std::fprintf(stderr, "%s\n", sqlite3_errmsg(db));
  sqlite3_close(db);
  _exit(ok ? 0 : 1);
}

/// Waits for the process. Its work must have succeeded.
void wait_for(pid_t child) {
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Runs a statement. Returns whether it succeeded.
bool succeeds(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

class InPlaceTest : public SqliteTest {
 protected:
  InPlaceTest() {
    run("CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB)");
    run("INSERT INTO filters SELECT 'seen', bloom_raw(bloom_create(20000, 1e-9))");
  }
  std::string insert(const std::string& key) { return ask("SELECT bloom_insert('filters', 'f', 'seen', ?)", {key}); }
  std::string contains(const std::string& key) {
    EXPECT_EQ(ask("SELECT bloom_valid(f) FROM filters WHERE name = 'seen'"), "1");
    return ask("SELECT bloom_contains(f, ?) FROM filters WHERE name = 'seen'", {key});
  }
};

TEST_F(InPlaceTest, GivesTheFilterThatBloomAddGives) {
  for (const char* kind : {"blocked", "classic", "counting", "spectral"}) {
    run("REPLACE INTO filters SELECT ?1, bloom_raw(bloom_create(5000, 1e-6, ?1))", {std::string(kind)});
    EXPECT_EQ(ask("SELECT sum(bloom_insert('filters', 'f', ?, i)) FROM " + integers(1, 500), {std::string(kind)}),
              "500");
    EXPECT_EQ(
        ask("SELECT f = bloom_raw(bloom_agg(i, 5000, 1e-6, ?1)) FROM filters, " + integers(1, 500) + " WHERE name = ?1",
            {std::string(kind)}),
        "1")
        << kind;
  }
}

TEST_F(InPlaceTest, TellsNewKeysFromThoseThatMayBeThere) {
  EXPECT_EQ(insert("a"), "1");
  EXPECT_EQ(insert("a"), "0");
  EXPECT_EQ(ask("SELECT bloom_insert('main', 'filters', 'f', 1, 'a')"), "0");
  EXPECT_EQ(ask("SELECT bloom_insert('filters', 'f', 1, NULL)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_info(f) ->> 'keys' FROM filters"), "1");
  run("INSERT INTO filters SELECT 'counts', bloom_raw(bloom_create(100, 1e-6, 'spectral'))");
  EXPECT_EQ(ask("SELECT bloom_insert('filters', 'f', 'counts', 'a') || bloom_insert('filters', 'f', 'counts', 'a')"),
            "10");
  EXPECT_EQ(ask("SELECT bloom_count(f, 'a') FROM filters WHERE name = 'counts'"), "2");
}

TEST_F(InPlaceTest, FindsItsRowByRowidByKeyAndWithASchema) {
  run("CREATE TEMP TABLE filters(k REAL PRIMARY KEY, f)");
  run("INSERT INTO temp.filters VALUES (0.5, bloom_raw(bloom_create(50, 1e-9)))");
  run("CREATE TABLE folded(k TEXT COLLATE NOCASE PRIMARY KEY, f)");
  run("INSERT INTO folded SELECT 'Seen', f FROM main.filters");
  run(R"(CREATE TABLE "odd ""name"("the ""key" BLOB PRIMARY KEY, "the filter"))");
  run(R"(INSERT INTO "odd ""name" SELECT x'00ff', f FROM main.filters)");
  for (const char* args : {"'main', 'Filters', 'F', 'seen'", "'temp', 'filters', 'f', 0.5", "'folded', 'f', 'SEEN'",
                           "'odd \"name', 'the filter', x'00ff'"}) {
    EXPECT_EQ(ask(std::string("SELECT bloom_insert(") + args + ", 'a')"), "1") << args;
    EXPECT_EQ(ask(std::string("SELECT bloom_insert(") + args + ", 'a')"), "0") << args;
  }
  EXPECT_EQ(ask("SELECT bloom_insert('filters', 'f', 1, 'a')"), "0") << "not the temp table";
  EXPECT_EQ(ask("SELECT bloom_contains(f, 'a') FROM temp.filters"), "1");
}

TEST_F(InPlaceTest, FindsItsRowInAUtf16Database) {
  Database db;
  ASSERT_EQ(db.run("PRAGMA encoding = 'UTF-16le'"), SQLITE_OK);
  ASSERT_EQ(db.run("CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB)"), SQLITE_OK);
  ASSERT_EQ(db.run("INSERT INTO filters SELECT 'größe', bloom_raw(bloom_create(50, 1e-9))"), SQLITE_OK);
  EXPECT_EQ(db.ask("SELECT bloom_insert('filters', 'f', 'größe', 'ä3')"), "1");
  EXPECT_EQ(db.ask("SELECT bloom_contains(f, 'ä3') FROM filters"), "1");
}

TEST_F(InPlaceTest, SaysWhatItCannotInsertInto) {
  run("INSERT INTO filters VALUES ('small', bloom_create(1000)), ('cuckoo', bloom_raw(bloom_create(9, 0.1, "
      "'cuckoo'))), "
      "('none', NULL), ('junk', zeroblob(100)), ('short', x'c352'), ('text', 'text'), ('number', 7), ('cut', (SELECT "
      "substr(f, 1, 999) FROM filters))");
  run("CREATE VIEW v AS SELECT * FROM filters");
  run("CREATE TABLE indexed(f UNIQUE)");
  run("INSERT INTO indexed SELECT f FROM filters WHERE name = 'seen'");
  run("CREATE TABLE computed(f, bytes AS (length(f)) STORED)");
  run("INSERT INTO computed SELECT f FROM filters WHERE name = 'seen'");
  run("CREATE VIRTUAL TABLE seen USING bloom(capacity=10)");
  run("CREATE TABLE clustered(name TEXT PRIMARY KEY, f) WITHOUT ROWID");
  run("CREATE TABLE pairs(a, b, f, PRIMARY KEY (a, b))");
  run("CREATE TABLE shadowed(name TEXT PRIMARY KEY, _rowid_, f)");
  run("INSERT INTO shadowed SELECT 'x', 2, NULL UNION ALL SELECT 'y', 1, f FROM filters WHERE name = 'seen'");
  const std::string before = ask("SELECT group_concat(hex(f)) FROM filters");
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"'filters', 'f', 'small'",
       "codec must be raw to add keys in place, got gap+zstd in main.filters, "
       "column f, row 'small': use UPDATE ... SET f = bloom_add(f, key)"},
      {"'filters', 'f', 'cuckoo'", "kind must support pages"},
      {"'filters', 'f', 'none'", "filter must be in main.filters, column f, row 'none', got NULL"},
      {"'filters', 'f', 'junk'", "magic must be"},
      {"'filters', 'f', 'short'", "blob size must be at least 64 bytes, got 2"},
      {"'filters', 'f', 'cut'", "as its header states, got 999"},
      {"'filters', 'f', 'lost'", "filter must be in main.filters, column f, row 'lost', got no such key"},
      {"'filters', 'f', 99", "filter must be in main.filters, column f, row 99, got no such rowid: 99"},
      {"'filters', 'f', 'text'", "blob size must be at least 64 bytes, got 4"},
      {"'filters', 'f', 'number'", "got cannot open value of type integer"},
      {"'filters', 'g', 1", "got no such column"},
      {"'missing', 'f', 1", "filter must be in main.missing, column f, row 1, got no such table: main.missing"},
      {"'missing', 'f', 'x'", "main.missing, column f, row 'x', got no such table"},
      {"'elsewhere', 'filters', 'f', 1", "filter must be in elsewhere.filters"},
      {"'filters', 'f', NULL", "row must be a rowid or a key, got NULL"},
      {"'v', 'f', 1", "cannot modify v because it is a view"},
      {"'indexed', 'f', 1", "column must be in no index, got main.indexed.f in sqlite_autoindex_indexed_1"},
      {"'computed', 'f', 1", "table must have no generated column, got main.computed with 1"},
      {"'Seen', 'key', 1",
       "table must be an ordinary table, got the virtual table main.Seen (query a filter table with WHERE"},
      {"'temp', 'seen', 'key', 1", "filter must be in temp.seen, column key, row 1, got no such table: temp.seen"},
      {"'clustered', 'f', 1", "got cannot open table without rowid: clustered"},
      {"'clustered', 'f', 'x'", "no such column: _rowid_"},
      {"'pairs', 'f', 'x'", "got a table in which a key cannot be looked up; use the rowid"},
      {"'shadowed', 'f', 'x'", "use the rowid"},
      {"NULL, 'f', 1", "table must be a text, got NULL"},
      {"x'c3c3', 'f', 1", "table must be a text, got a blob of 2 bytes"},
      {"'filters' || char(0) || 'x', 'f', 1", "table must be a name without NUL, got 'filters"},
      {"'filters', 'f' || char(0), 1", "column must be a name without NUL, got 'f"},
      {"'main' || char(0), 'filters', 'f', 1", "schema must be a name without NUL, got 'main"},
      {"'filters', NULL, 1", "column must be a text, got NULL"},
      {"NULL, 'filters', 'f', 1", "schema must be a text, got NULL"},
  };
  for (const auto& [args, message] : wrong) {
    EXPECT_THAT(ask(std::string("SELECT bloom_insert(") + args + ", 'a')"), HasSubstr(message)) << args;
  }
  EXPECT_EQ(ask("SELECT group_concat(hex(f)) FROM filters"), before);
  run("CREATE VIEW inserts AS SELECT bloom_insert('filters', 'f', 'seen', 'a')");
  EXPECT_THAT(ask("SELECT * FROM inserts"), HasSubstr("unsafe use of bloom_insert"));
}

TEST_F(InPlaceTest, ASchemaInATablesNameIsPointedOut) {
  for (const char* name :
       {"bloom_snapshot('main.t')", "bloom_table_info('main.t')", "bloom_insert('main.filters', 'f', 1, 'a')"}) {
    EXPECT_THAT(ask(std::string("SELECT ") + name),
                HasSubstr(" (a schema is a separate argument, not a part of the table's name)"))
        << name;
  }
  EXPECT_THAT(ask("SELECT bloom_snapshot('t')"), Not(HasSubstr("schema")));
}

TEST_F(InPlaceTest, DefensiveModeKeepsItFromShadowTables) {
  run("CREATE VIRTUAL TABLE words USING fts5(word)");
  run("INSERT INTO words SELECT f FROM filters");
  EXPECT_EQ(ask("SELECT bloom_insert('words_content', 'c0', 1, 'a')"), "1");
  const std::string before = ask("SELECT hex(c0) FROM words_content");
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  EXPECT_THAT(ask("UPDATE words_content SET c0 = bloom_add(c0, 'b')"), HasSubstr("may not be modified"));
  for (const char* table :
       {"'words_content'", "'WORDS_CONTENT'", "'main', 'words_content'", "'MAIN', 'words_content'"}) {
    EXPECT_THAT(ask(std::string("SELECT bloom_insert(") + table + ", 'c0', 1, 'b')"),
                HasSubstr("table must allow UPDATE, got the shadow table"))
        << table;
  }
  EXPECT_EQ(ask("SELECT hex(c0) FROM words_content"), before);
  EXPECT_EQ(ask("SELECT bloom_contains(c0, 'a') FROM words_content"), "1");
  EXPECT_EQ(insert("a"), "1") << "into an ordinary table";
}

TEST_F(InPlaceTest, IsTakenBackWithItsTransaction) {
  EXPECT_EQ(insert("kept"), "1");
  run("BEGIN");
  EXPECT_EQ(insert("a"), "1");
  run("SAVEPOINT s");
  EXPECT_EQ(insert("b"), "1");
  EXPECT_EQ(contains("b"), "1");
  run("ROLLBACK TO s");
  EXPECT_EQ(contains("a") + contains("b"), "10");
  run("ROLLBACK");
  EXPECT_EQ(contains("kept") + contains("a") + contains("b"), "100");
}

TEST_F(InPlaceTest, IsTakenBackWithItsStatement) {
  run("CREATE TABLE log(k UNIQUE, was_new)");
  for (const char* begin : {"SELECT 1", "BEGIN"}) {
    run(begin);
    EXPECT_THAT(ask("INSERT INTO log SELECT i % 7, bloom_insert('filters', 'f', 'seen', i) FROM " + integers(1, 10)),
                HasSubstr("UNIQUE constraint failed"));
    EXPECT_EQ(ask("SELECT sum(bloom_contains(f, i)) FROM filters, " + integers(1, 10)), "0");
    db_.run("COMMIT");
  }
  run("INSERT INTO log SELECT i, bloom_insert('filters', 'f', 'seen', i) FROM " + integers(1, 10));
  EXPECT_EQ(ask("SELECT sum(was_new) FROM log"), "10");
  EXPECT_EQ(contains("10"), "1");
}

TEST_F(InPlaceTest, LeavesNothingOpenBehindTheStatement) {
  run("BEGIN");
  {
    Statement inserts(db_.get(), "SELECT bloom_insert('filters', 'f', 'seen', i) FROM " + integers(1, 3));
    while (sqlite3_step(inserts.get()) == SQLITE_ROW) {
    }
    run("COMMIT");
    run("VACUUM");
  }
  EXPECT_EQ(contains("3"), "1");
}

TEST_F(InPlaceTest, FollowsChangesInTheMiddleOfATransaction) {
  run("BEGIN");
  run("SAVEPOINT s");
  Statement inserts(db_.get(), "SELECT bloom_insert('filters', 'f', 'seen', i) FROM " + integers(1, 9));
  const auto next = [&] {
    EXPECT_EQ(sqlite3_step(inserts.get()), SQLITE_ROW) << sqlite3_errmsg(db_.get());
    return inserts.column_bytes();
  };
  EXPECT_EQ(next(), "1");
  run("ROLLBACK TO s");
  EXPECT_EQ(next(), "1");
  EXPECT_EQ(contains("1") + contains("2"), "01");
  run("UPDATE filters SET f = bloom_add(f, 3)");
  EXPECT_EQ(next(), "0");
  run("UPDATE filters SET name = 'old'");
  run("INSERT INTO filters SELECT 'seen', bloom_raw(bloom_create(100, 1e-9))");
  EXPECT_EQ(next(), "1");
  EXPECT_EQ(ask("SELECT bloom_contains(f, 4) FROM filters WHERE name = 'old'"), "0");
  EXPECT_EQ(contains("4"), "1");
  run("ROLLBACK");
  EXPECT_EQ(next(), "1") << "which commits by itself";
  EXPECT_EQ(contains("4") + contains("5"), "01");
}

TEST_F(InPlaceTest, FindsTheColumnAgainWhenTheTableChanges) {
  run("CREATE TABLE wide(gone, f, g)");
  run("INSERT INTO wide SELECT 'x', f, f FROM filters");
  Statement scan(db_.get(), "SELECT bloom_insert('wide', 'f', 1, i) FROM " + integers(1, 10));
  for (int i = 1; i <= 10; ++i) {
    ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW) << sqlite3_errmsg(db_.get());
    EXPECT_EQ(scan.column_bytes(), "1");
    if (i == 5) run("ALTER TABLE wide DROP COLUMN gone");
    if (i == 9) run("ALTER TABLE wide ADD COLUMN size AS (length(f))");
    if (i == 9) break;
  }
  EXPECT_EQ(sqlite3_step(scan.get()), SQLITE_ERROR);
  EXPECT_THAT(sqlite3_errmsg(db_.get()), HasSubstr("table must have no generated column"));
  sqlite3_reset(scan.get());
  EXPECT_EQ(ask("SELECT sum(bloom_contains(f, i)) || ' ' || sum(bloom_contains(g, i)) FROM wide, " + integers(1, 9)),
            "9 0");
}

/// Tests with a file that several connections and processes open.
class InPlaceAcrossConnections : public ::testing::TestWithParam<const char*> {
 protected:
  InPlaceAcrossConnections() {
    Database db(path_.c_str());
    EXPECT_EQ(db.run(std::string("PRAGMA journal_mode = ") + GetParam()), SQLITE_OK);
    EXPECT_EQ(db.run("CREATE TABLE filters(id INTEGER PRIMARY KEY, name TEXT, f BLOB)"), SQLITE_OK);
    EXPECT_EQ(db.run("INSERT INTO filters SELECT 1, 'x', bloom_raw(bloom_create(1000000, 0.01))"), SQLITE_OK);
  }

  std::string path_ = new_database("in_place.db");
};

TEST_P(InPlaceAcrossConnections, OnlyWhatWasCommittedIsThere) {
  Database reader(path_.c_str());
  Database writer(path_.c_str());
  const std::string question = "SELECT bloom_contains(f, 'a') FROM filters";
  {
    Statement scan(reader.get(), question + ", " + integers(1, 9));
    ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW);
    const std::string inserted = writer.ask("SELECT bloom_insert('filters', 'f', 1, 'a')");
    if (std::string(GetParam()) == "WAL") {
      EXPECT_EQ(inserted, "1");
    } else {
      EXPECT_THAT(inserted, HasSubstr("database is locked")) << "the commit that failed must be heard of";
      EXPECT_EQ(writer.ask(question), "0");
    }
    ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW);
    EXPECT_EQ(scan.column_bytes(), "0");
  }
  EXPECT_EQ(reader.ask(question), writer.ask(question));
}

TEST_P(InPlaceAcrossConnections, ABusyDatabaseIsSaidSo) {
  Database one(path_.c_str());
  Database other(path_.c_str());
  ASSERT_EQ(one.run("BEGIN IMMEDIATE"), SQLITE_OK);
  EXPECT_EQ(other.run("SELECT bloom_insert('filters', 'f', 1, 'a')"), SQLITE_BUSY);
  ASSERT_EQ(one.run("COMMIT"), SQLITE_OK);
  EXPECT_EQ(other.ask("SELECT bloom_insert('filters', 'f', 1, 'a')"), "1");
}

TEST_P(InPlaceAcrossConnections, SeveralProcessesLoseNoKey) {
  constexpr int kProcesses = 3;
  constexpr int kKeys = 40;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(in_other_process(path_, [process](sqlite3* db) {
      bool ok = succeeds(db, "PRAGMA synchronous = OFF");
      for (int i = 0; i < kKeys && ok; ++i) {
        ok = succeeds(db, "SELECT bloom_insert('filters', 'f', 1, " + std::to_string(process * kKeys + i) + ")");
      }
      return ok;
    }));
  }
  for (const pid_t child : children) wait_for(child);
  Database db(path_.c_str());
  EXPECT_EQ(db.ask("SELECT sum(bloom_contains(f, i)) FROM filters, " + integers(0, kProcesses * kKeys - 1)),
            std::to_string(kProcesses * kKeys));
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST_P(InPlaceAcrossConnections, ANameThatMovesIsFollowed) {
  if (std::string(GetParam()) != "WAL") return;  // in other modes, no other connection can write during a lookup
  Database db(path_.c_str());
  Database other(path_.c_str());
  ASSERT_EQ(db.run("CREATE TABLE named(name TEXT PRIMARY KEY, f BLOB)"), SQLITE_OK);
  for (const char* name : {"target", "other"}) {
    ASSERT_EQ(db.run("INSERT INTO named SELECT ?, bloom_raw(bloom_create(100, 1e-9))", {std::string(name)}), SQLITE_OK);
  }
  struct Mover {
    Database& db;
    int moves = 0;
    void move() {
      if (++moves > 1) return;
      EXPECT_EQ(db.run("UPDATE named SET name = name || '2'"), SQLITE_OK);
      EXPECT_EQ(db.run("UPDATE named SET name = iif(rowid = 1, 'other', 'target')"), SQLITE_OK);
    }
  } mover{other};
  // The filter's name moves to another row just after its row was looked up.
  const auto after_a_statement = [](unsigned, void* given, void* statement, void*) {
    const std::string sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
    if (sql.starts_with("SELECT _rowid_")) static_cast<Mover*>(given)->move();
    return 0;
  };
  sqlite3_trace_v2(db.get(), SQLITE_TRACE_PROFILE, after_a_statement, &mover);
  EXPECT_EQ(db.ask("SELECT bloom_insert('named', 'f', 'target', 'a')"), "1");
  sqlite3_trace_v2(db.get(), 0, nullptr, nullptr);
  EXPECT_GT(mover.moves, 1);
  EXPECT_EQ(db.ask("SELECT name FROM named WHERE bloom_contains(f, 'a')"), "target");
}

TEST_P(InPlaceAcrossConnections, AnInsertWritesAFewPagesOfTheLog) {
  if (std::string(GetParam()) != "WAL") return;
  Database db(path_.c_str());
  const auto log_bytes = [this] { return std::filesystem::file_size(path_ + "-wal"); };
  ASSERT_EQ(db.run("PRAGMA wal_autocheckpoint = 0"), SQLITE_OK);
  EXPECT_EQ(db.ask("SELECT bloom_insert('filters', 'f', 1, 'first')"), "1");
  const auto before = log_bytes();
  EXPECT_EQ(db.ask("SELECT bloom_insert('filters', 'f', 1, 'a')"), "1");
  EXPECT_LE(log_bytes() - before, 3 * (4096 + 24));
  const auto after = log_bytes();
  EXPECT_EQ(db.ask("SELECT bloom_insert('filters', 'f', 1, 'a')"), "0");
  EXPECT_EQ(log_bytes(), after) << "a key that is there writes nothing";
}

INSTANTIATE_TEST_SUITE_P(Journals, InPlaceAcrossConnections, ::testing::Values("WAL", "DELETE"));

}  // namespace
}  // namespace crivo::testing
