// Filter tables in a hostile database: forged shadow tables with right checksums (T3), views and triggers.
#include "database.h"
#include "table_surgery.h"

namespace crivo::testing {
namespace {

class TableHostile : public SqliteTest {
 protected:
  void make(const std::string& arguments) {
    run("CREATE VIRTUAL TABLE t USING bloom(" + arguments + ")");
    run("INSERT INTO t(key) VALUES (1)");
  }
  void forge_state(std::string_view field, std::string_view value) {
    const std::string text = with_field(ask("SELECT value FROM t_meta WHERE name = 'state'"), field, value);
    run("UPDATE t_meta SET value = ? WHERE name = 'state'", {text});
  }
  void expect_refused(const std::string& message) {
    for (const char* statement :
         {"SELECT 1 FROM t WHERE key = 1", "INSERT INTO t(key) VALUES (2)", "INSERT INTO t(op) VALUES ('check')",
          "INSERT INTO t(op) VALUES ('rebuild')", "SELECT bloom_snapshot('t')"}) {
      EXPECT_THAT(ask(statement), HasSubstr(message)) << statement;
    }
  }
};

TEST_F(TableHostile, APageThatWouldNotFitADatabaseIsRefusedBeforeItIsAllocated) {
  make("capacity=1000");
  forge_state("units", std::to_string(std::uint64_t{1} << 34));
  forge_state("page_bytes", std::to_string(std::uint64_t{1} << 60));
  expect_refused("state in table _meta must have pages of at most 65536 bytes");
}

TEST_F(TableHostile, AStateOutOfItsRangesIsRefused) {
  make("capacity=1000, kind=counting");
  const std::string state = ask("SELECT value FROM t_meta");
  const std::vector<std::pair<const char*, const char*>> forged = {
      {"capacity", "0"},
      {"capacity", "1099511627777"},
      {"fpr", "nan"},
      {"fpr", "0"},
      {"fpr", "1"},
      {"page_bytes", "0"},
      {"page_bytes", "255"},
      {"layers", "0"},
      {"layers", "65"},
      {"layers", "2"},
      {"units", "0"},
      {"units", "-1"},
      {"k", "0"},
      {"k", "255"},
      {"kind", "ribbon"},
      {"kind", "spectral"},
      {"seed", "x"},
      {"units", "18446744073709551615"},
  };
  for (const auto& [field, value] : forged) {
    run("UPDATE t_meta SET value = ?", {with_field(state, field, value)});
    EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), StartsWith("error: t: ")) << field << "=" << value;
  }
  run("UPDATE t_meta SET value = ?", {with_checksum(state + " units=9 k=5 check=0")});
  EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("end after these fields"));
  run("UPDATE t_meta SET value = ?", {state.substr(0, state.size() - 1)});
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key = 1"), "error: t: state in table _meta must match its checksum");
  run("UPDATE t_meta SET value = ?", {state});
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key = 1"), "1");
}

TEST_F(TableHostile, AWindowOutOfItsRangesIsRefused) {
  make("capacity=1000, window=800");
  const std::string state = ask("SELECT value FROM t_meta");
  const std::vector<std::pair<const char*, const char*>> forged = {
      {"pane_length", "0"},
      {"pane_length", "-1"},
      {"pane_length", "9223372036854775807"},
      {"panes", "0"},
      {"panes", "4294967295"},
      {"first_pane", "-2"},
      {"first_pane", "9223372036854775807"},
      {"generation", "18446744073709551615"},
  };
  for (const auto& [field, value] : forged) {
    run("UPDATE t_meta SET value = ?", {with_field(state, field, value)});
    EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("must have a valid window")) << field << "=" << value;
  }
  run("UPDATE t_meta SET value = ?", {with_field(state, "manual", "2")});
  EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("must have 0 or 1 as manual, got 2"));
  run("UPDATE t_meta SET value = ?", {state});
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key = 1"), "1");
}

TEST_F(TableHostile, AnUnknownHalfOfThePagesIsRefused) {
  run("CREATE TABLE s(c)");
  run("CREATE VIRTUAL TABLE t USING bloom(source='s.c')");
  forge_state("source_half", "2");
  expect_refused("must have 0 or 1 as source_half, got 2");
}

TEST_F(TableHostile, AnEmptyStateIsRefusedByATableThatHasReadNoneYet) {
  make("capacity=1000");
  run("UPDATE t_meta SET value = ''");
  run("ALTER TABLE t RENAME TO again");  // connects to the table again
  EXPECT_THAT(ask("SELECT 1 FROM again WHERE key = 1"), HasSubstr("checksum"));
  EXPECT_THAT(ask("DELETE FROM again WHERE key = 1"), HasSubstr("checksum"));
  EXPECT_THAT(ask("SELECT bloom_snapshot('again')"), HasSubstr("checksum"));
  run("DELETE FROM again_meta");
  EXPECT_EQ(ask("SELECT 1 FROM again WHERE key = 1"),
            "error: again: table _meta must have a text as its row 'state', got none");
}

TEST_F(TableHostile, LayersThatOnlyAKindThatGrowsCanHaveAreRefused) {
  make("capacity=1000");
  std::string text = with_field(ask("SELECT value FROM t_meta"), "layers", "2");
  text.insert(text.rfind(" check="), " units=100 k=7");
  run("UPDATE t_meta SET value = ?", {with_checksum(text)});
  expect_refused("as many layers as its kind and capacity allow, got 2");
}

TEST_F(TableHostile, LayersBeyondTheMostKeysAreRefused) {
  make("capacity=549755813888, kind=scalable");  // 2^39: the second layer has a capacity of 2^40
  const std::string state = ask("SELECT value FROM t_meta");
  std::string text = with_field(state, "layers", "2");
  text.insert(text.rfind(" check="), " units=100 k=7");
  run("UPDATE t_meta SET value = ?", {with_checksum(text)});
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key = 1"), "1");
  text = with_field(state, "layers", "3");
  text.insert(text.rfind(" check="), " units=100 k=7 units=100 k=7");
  run("UPDATE t_meta SET value = ?", {with_checksum(text)});
  expect_refused("as many layers as its kind and capacity allow, got 3");
}

TEST_F(TableHostile, ASizeThatNobodyHasIsOnlyPlannedAndNeverAllocated) {
  make("capacity=1000");
  run("DELETE FROM t_pages");
  forge_state("units", std::to_string(std::uint64_t{1} << 34));  // 1 TiB
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (5, 6, 7)"), "0");
  EXPECT_EQ(db_.run("INSERT INTO t(key) VALUES (5)"), SQLITE_OK);
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (5, 6, 7)"), "1");
  EXPECT_THAT(ask("SELECT bloom_snapshot('t')"), HasSubstr("payload must fit SQLITE_LIMIT_LENGTH"));
}

TEST_F(TableHostile, PagesOutsideTheLayersAreFound) {
  for (const std::int64_t number :
       {std::int64_t{-1}, INT64_MIN, std::int64_t{1} << 20, std::int64_t{1} << 46, std::int64_t{63} << 46, INT64_MAX}) {
    run("DROP TABLE IF EXISTS t");
    make("capacity=1000");
    run("INSERT INTO t_pages VALUES (?, zeroblob(100))", {number});
    EXPECT_THAT(ask("INSERT INTO t(op) VALUES ('check')"),
                HasSubstr("page " + std::to_string(number) + " in table _pages must belong to a layer"));
    EXPECT_EQ(ask("SELECT key FROM t WHERE key = 1"), "1");
  }
}

TEST_F(TableHostile, ARowThatIsNoPageIsAnErrorAndNeverANo) {
  make("capacity=1000, fpr=0.5");
  run("CREATE TABLE kept AS SELECT * FROM t_pages");
  for (const char* value : {"NULL", "1", "1.5", "'text'", "x''", "zeroblob(24)", "substr(bits, 2)", "bits || x'00'",
                            "CAST(bits AS TEXT)", "CAST(substr(bits, 1, 50) || x'ff' || substr(bits, 52) AS BLOB)"}) {
    run(std::string("UPDATE t_pages SET bits = ") + value);
    EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), StartsWith("error: t: page 0 in table _pages must")) << value;
    EXPECT_THAT(ask("INSERT INTO t(key) VALUES (1)"), StartsWith("error: t: page 0 in table _pages must")) << value;
    run("UPDATE t_pages SET bits = (SELECT bits FROM kept)");
  }
  EXPECT_EQ(ask("SELECT key FROM t WHERE key = 1"), "1");
}

// The page's checksum is right, but only for another page number.
TEST_F(TableHostile, APageInAnothersPlaceIsFound) {
  make("capacity=1000000");
  run("INSERT INTO t(key) SELECT i FROM " + integers(1, 5000));
  run("UPDATE t_pages SET bits = (SELECT bits FROM t_pages WHERE page_no = 0) WHERE page_no = 1");
  EXPECT_EQ(ask("INSERT INTO t(op) VALUES ('check')"), "error: t: page 1 in table _pages must match its checksum");
  EXPECT_EQ(db_.run("INSERT INTO t(op) VALUES ('check')"), SQLITE_CORRUPT);
  run("UPDATE t_pages SET bits = x'00' WHERE page_no = 1");
  EXPECT_THAT(ask("INSERT INTO t(op) VALUES ('check')"), HasSubstr("must be a blob of 4056 bytes, got 1"));
}

TEST_F(TableHostile, AViewInAShadowTablesPlaceCannotUseTheTableWithin) {
  make("capacity=1000");
  run("CREATE TABLE kept AS SELECT * FROM t_meta");
  run("DROP TABLE t_meta");
  run("CREATE VIEW t_meta AS SELECT name, (SELECT kept.value FROM t WHERE key = 1) AS value FROM kept");
  EXPECT_EQ(ask("SELECT * FROM t WHERE key = 1"), "error: t: no such table: main.t");
  EXPECT_EQ(ask("INSERT INTO t(key) VALUES (1)"), "error: t: no such table: main.t");
  EXPECT_EQ(ask("SELECT bloom_snapshot('t') IS NULL"),
            "error: bloom_snapshot: table must be a filter table (CREATE VIRTUAL TABLE ... USING bloom), got 't'");
}

TEST_F(TableHostile, AViewInAShadowTablesPlaceCannotCallTheFunctionWithoutEnd) {
  make("capacity=1000");
  run("CREATE TABLE kept AS SELECT * FROM t_meta");
  run("DROP TABLE t_meta");
  run("CREATE VIEW t_meta AS SELECT name, coalesce(bloom_snapshot('t'), value) AS value FROM kept");
  EXPECT_THAT(ask("SELECT bloom_snapshot('t')"), StartsWith("error: bloom_snapshot: table must be a filter table"));
  EXPECT_THAT(ask("SELECT * FROM t WHERE key = 1"), StartsWith("error: t: bloom_snapshot: table must be a filter"));
}

TEST_F(TableHostile, ATriggerOnAShadowTableCannotUseTheTableWithin) {
  make("capacity=1000");
  run("CREATE TRIGGER hostile BEFORE UPDATE ON t_pages BEGIN INSERT INTO t(key) VALUES (random()); END");
  EXPECT_THAT(ask("INSERT INTO t(key) VALUES (2)"), HasSubstr("no such table: main.t"));
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (1, 2)"), "1");
}

TEST_F(TableHostile, AFunctionThatRunsSqlCannotUseTheTableWithin) {
  add_eval(db_);
  const char* const refused = "table must not be used by the statement that writes it";
  make("capacity=1000");
  run("CREATE TABLE log(message)");
  run("CREATE TRIGGER hostile BEFORE UPDATE ON t_pages BEGIN "
      "INSERT INTO log VALUES (eval('INSERT INTO t(key) VALUES (77)')); END");
  EXPECT_EQ(ask("INSERT INTO t(key) VALUES (2)"), "");
  EXPECT_THAT(ask("SELECT message FROM log"), HasSubstr(refused));
  run("DROP TRIGGER hostile");
  EXPECT_EQ(ask("SELECT group_concat(key) FROM t WHERE key IN (1, 2, 77)"), "1,2");
  run("CREATE TABLE kept AS SELECT * FROM t_meta");
  run("DROP TABLE t_meta");
  run("CREATE VIEW t_meta AS SELECT name, value || eval('SELECT 1 FROM t WHERE key = 1') AS value FROM kept");
  EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("checksum"));
  EXPECT_THAT(ask("SELECT value FROM t_meta"), EndsWith("match its checksum"));
}

TEST_F(TableHostile, AShadowTableThatIgnoresWhatIsWrittenIsAnError) {
  make("capacity=20, kind=scalable");
  run("CREATE TRIGGER hostile BEFORE INSERT ON t_meta BEGIN SELECT RAISE(IGNORE); END");
  EXPECT_EQ(ask("INSERT INTO t(key) SELECT i FROM " + integers(1, 200)),
            "error: t: table _meta must store every written row, got a write without effect");
  for (const char* event : {"UPDATE", "INSERT"}) {
    run("DROP TABLE t");
    make("capacity=1000000");
    run(std::string("CREATE TRIGGER hostile BEFORE ") + event + " ON t_pages BEGIN SELECT RAISE(IGNORE); END");
    EXPECT_EQ(ask("INSERT INTO t(key) SELECT i FROM " + integers(1, 2000)),
              "error: t: table _pages must store every written row, got a write without effect");
  }
}

// INSERT OR IGNORE treats SQLITE_CONSTRAINT as a duplicate key.
TEST_F(TableHostile, AConstraintOnAShadowTableIsNoReasonToIgnoreAKey) {
  make("capacity=1000");
  run("CREATE TRIGGER hostile BEFORE UPDATE ON t_pages BEGIN SELECT RAISE(ABORT, 'not today'); END");
  EXPECT_THAT(ask("INSERT OR IGNORE INTO t(key) VALUES (2)"), HasSubstr("not today"));
}

TEST_F(TableHostile, ShadowTablesThatAreGoneAreAnError) {
  for (const char* table : {"t_meta", "t_pages"}) {
    run("DROP TABLE IF EXISTS t");
    make("capacity=1000");
    run(std::string("DROP TABLE ") + table);
    EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr(std::string("no such table: main.") + table));
  }
  run("DROP TABLE t");  // drops the remaining shadow table
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 't_%'"), "0");
}

}  // namespace
}  // namespace crivo::testing
