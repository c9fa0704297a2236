// A named filter is never stale: whatever changes its row, and whenever, the next answer is that of the row as it is.
#include <functional>
#include <optional>
#include <random>

#include "database.h"
#include "forged_filter.h"
#include "other_process.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

/// A query of many rows that is read row by row, so that things can happen between two rows.
class Scan {
 public:
  Scan(sqlite3* db, const std::string& row, const std::string& key)
      : db_(db),
        statement_(
            db, "SELECT bloom_contains_in('filters', 'f', " + row + ", '" + key + "') FROM " + integers(1, 1000000)) {}
  /// The next answer: 0, 1, NULL or the error.
  std::string next() {
    const int status = sqlite3_step(statement_.get());
    if (status != SQLITE_ROW) return sqlite3_errmsg(db_);
    const std::string answer = statement_.column_bytes();
    return answer.empty() ? "NULL" : answer;
  }

 private:
  sqlite3* db_;
  Statement statement_;
};

class NamedChangesTest : public SqliteTest {
 protected:
  NamedChangesTest() {
    run("CREATE TABLE filters(id INTEGER PRIMARY KEY, name TEXT UNIQUE, f BLOB)");
    run("CREATE TABLE by_name(name TEXT PRIMARY KEY, f BLOB)");
  }
  /// A raw filter of a page or more, with one key.
  Blob with(const std::string& key) { return blob("SELECT bloom_raw(bloom_add(bloom_create(20000, 1e-9), ?))", {key}); }
  void store(std::int64_t row, const Blob& filter) { run("REPLACE INTO filters(id, f) VALUES (?, ?)", {row, filter}); }
};

TEST_F(NamedChangesTest, AreSeenInTheMiddleOfAScan) {
  store(1, with("a"));
  Scan a(db_.get(), "1", "a");
  Scan b(db_.get(), "1", "b");
  const auto answers = [&] { return a.next() + b.next(); };
  EXPECT_EQ(answers(), "10");
  run("UPDATE filters SET f = bloom_add(f, 'b') WHERE id = 1");
  EXPECT_EQ(answers(), "11");
  store(1, with("b"));
  EXPECT_EQ(answers(), "01");
  run("UPDATE filters SET f = NULL");
  EXPECT_EQ(answers(), "NULLNULL");
  run("UPDATE filters SET f = ?", {with("a")});
  EXPECT_EQ(answers(), "10");
  run("DELETE FROM filters");
  run("INSERT INTO filters(id, f) VALUES (2, ?), (1, ?)", {with("a"), with("b")});
  EXPECT_EQ(answers(), "01");
  run("DELETE FROM filters WHERE id = 1");
  EXPECT_THAT(a.next(), HasSubstr("no such rowid: 1"));
}

TEST_F(NamedChangesTest, AreSeenWhenTheyAreTakenBack) {
  store(1, with("a"));
  for (const char* back : {"ROLLBACK TO s", "ROLLBACK"}) {
    run("BEGIN");
    run("SAVEPOINT s");
    Scan early(db_.get(), "1", "a");
    EXPECT_EQ(early.next(), "1");
    run("UPDATE filters SET f = ?", {with("b")});
    Scan late(db_.get(), "1", "a");
    EXPECT_EQ(early.next(), "0");
    EXPECT_EQ(late.next(), "0");
    run(back);
    EXPECT_EQ(early.next(), "1");
    EXPECT_EQ(late.next(), "1");
    EXPECT_EQ(late.next(), "1");
    db_.run("ROLLBACK");
  }
}

TEST_F(NamedChangesTest, OfARowThatIsTakenBackLeaveNoNeighbourInItsPlace) {
  store(1, with("a"));
  store(3, with("a"));
  run("BEGIN");
  run("SAVEPOINT s");
  store(2, with("b"));
  Scan scan(db_.get(), "2", "a");
  EXPECT_EQ(scan.next(), "0");
  run("ROLLBACK TO s");
  EXPECT_THAT(scan.next(), HasSubstr("no such rowid: 2"));
  run("ROLLBACK");
}

TEST_F(NamedChangesTest, ByAForgedFilterOfTheSameHeaderAreSeen) {
  const Blob good = blob("SELECT bloom_raw(bloom_agg(i, 30000)) FROM " + integers(1, 3000));
  const std::optional<Blob> forged = forged_twin(good);
  ASSERT_TRUE(forged) << "no such payload was found";
  store(1, good);
  Scan scan(db_.get(), "1", "7");
  EXPECT_EQ(scan.next(), "1");
  store(1, *forged);
  EXPECT_EQ(scan.next(), "0") << "of the row as it is";
  store(1, good);
  EXPECT_EQ(scan.next(), "1");

  run("BEGIN");
  run("SAVEPOINT s");
  store(1, *forged);
  Scan inside(db_.get(), "1", "7");
  EXPECT_EQ(inside.next(), "0");
  run("ROLLBACK TO s");
  EXPECT_EQ(inside.next(), "1") << "the forged filter was rolled back";
  EXPECT_EQ(scan.next(), "1");
  run("ROLLBACK");

  // From statement to statement, too, where the connection has kept one of them.
  for (int round = 0; round < 4; ++round) {
    store(1, round % 2 == 0 ? good : *forged);
    EXPECT_EQ(ask("SELECT bloom_contains_in('filters', 'f', 1, 7)"), round % 2 == 0 ? "1" : "0");
  }
}

TEST_F(NamedChangesTest, OfNamesAreSeen) {
  run("INSERT INTO by_name VALUES ('x', ?), ('y', ?)", {with("a"), with("b")});
  Statement scan(db_.get(), "SELECT bloom_contains_in('by_name', 'f', 'x', 'a') FROM " + integers(1, 100));
  const auto next = [&] {
    EXPECT_EQ(sqlite3_step(scan.get()), SQLITE_ROW) << sqlite3_errmsg(db_.get());
    return scan.column_bytes();
  };
  const auto swap = [this] {
    run("UPDATE by_name SET name = 'z' WHERE name = 'x'");
    run("UPDATE by_name SET name = 'x' WHERE name = 'y'");
    run("UPDATE by_name SET name = 'y' WHERE name = 'z'");
  };
  EXPECT_EQ(next(), "1");
  swap();
  EXPECT_EQ(next(), "0");
  run("BEGIN");
  run("SAVEPOINT s");
  swap();
  EXPECT_EQ(next(), "1");
  run("ROLLBACK TO s");
  EXPECT_EQ(next(), "0");
  run("ROLLBACK");
  EXPECT_EQ(next(), "0");
}

TEST_F(NamedChangesTest, ByAnotherBlobHandleAreSeen) {
  const Blob before = with("a");
  const Blob after = with("b");
  store(1, before);
  Scan scan(db_.get(), "1", "a");
  EXPECT_EQ(scan.next(), "1");
  sqlite3_blob* handle = nullptr;
  ASSERT_EQ(sqlite3_blob_open(db_.get(), "main", "filters", "f", 1, 1, &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_blob_write(handle, after.bytes.data(), static_cast<int>(after.bytes.size()), 0), SQLITE_OK);
  ASSERT_EQ(sqlite3_blob_close(handle), SQLITE_OK);
  EXPECT_EQ(scan.next(), "0");
}

TEST_F(NamedChangesTest, OfTheTableAreSeen) {
  run("CREATE TABLE wide(id INTEGER PRIMARY KEY, gone, f, g)");
  run("INSERT INTO wide VALUES (1, 'x', ?1, ?2), (2, 'x', ?1, ?2)", {with("a"), with("b")});
  Statement scan(db_.get(), "SELECT bloom_contains_in('wide', 'f', 1 + i % 2, 'a') FROM " + integers(1, 100));
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW) << sqlite3_errmsg(db_.get());
    EXPECT_EQ(scan.column_bytes(), "1");
    // The value moves to another place in its row; the old place has the filter without the key.
    if (i == 5) run("ALTER TABLE wide DROP COLUMN gone");
  }
  sqlite3_reset(scan.get());
  run("DROP TABLE wide");
  EXPECT_THAT(ask("SELECT bloom_contains_in('wide', 'f', 1, 'a')"), HasSubstr("no such table"));
}

TEST_F(NamedChangesTest, ByTheStatementItselfAreSeen) {
  store(1, with("x"));
  run("CREATE TABLE incoming(k, was_there)");
  run("INSERT INTO incoming(k) VALUES ('a'), ('b'), ('a'), ('c'), ('b'), ('x')");
  // A trigger adds each row's key to the filter that the statement asks for the next row.
  run("CREATE TRIGGER remember AFTER UPDATE ON incoming BEGIN "
      "UPDATE filters SET f = bloom_add(f, NEW.k) WHERE id = 1; END");
  run("UPDATE incoming SET was_there = bloom_contains_in('filters', 'f', 1, k)");
  EXPECT_EQ(ask("SELECT group_concat(k || was_there) FROM incoming"), "a0,b0,a1,c0,b1,x1");
  // The same in the trigger, which asks anew for each row.
  run("CREATE TABLE fresh(k)");
  run("CREATE TABLE log(k, was_there)");
  run("CREATE TRIGGER note BEFORE INSERT ON fresh BEGIN "
      "INSERT INTO log VALUES (NEW.k, bloom_contains_in('filters', 'f', 1, NEW.k)); END");
  run("CREATE TRIGGER add_it AFTER INSERT ON fresh BEGIN "
      "UPDATE filters SET f = bloom_add(f, NEW.k) WHERE id = 1; END");
  run("INSERT INTO fresh VALUES ('d'), ('e'), ('d')");
  EXPECT_EQ(ask("SELECT group_concat(k || was_there) FROM log"), "d0,e0,d1");
}

/// A file of its own, that several connections and processes open.
class NamedAcrossConnections : public ::testing::TestWithParam<const char*> {
 protected:
  NamedAcrossConnections() {
    Database db(path_.c_str());
    EXPECT_EQ(db.run(std::string("PRAGMA journal_mode = ") + GetParam()), SQLITE_OK);
    EXPECT_EQ(db.run("CREATE TABLE filters(id INTEGER PRIMARY KEY, f BLOB)"), SQLITE_OK);
    EXPECT_EQ(db.run("INSERT INTO filters SELECT 1, bloom_raw(bloom_add(bloom_create(20000, 1e-9), 'a'))"), SQLITE_OK);
  }

  static std::string question(const char* key) {
    return std::string("SELECT bloom_contains_in('filters', 'f', 1, '") + key + "')";
  }
  static std::string addition(const char* key) {
    return std::string("UPDATE filters SET f = bloom_add(f, '") + key + "') WHERE id = 1";
  }

  std::string path_ = new_database("named.db");
};

TEST_P(NamedAcrossConnections, ACommitIsSeenByTheNextStatement) {
  Database reader(path_.c_str());
  Database writer(path_.c_str());
  for (const char* key : {"b", "c", "d"}) {
    EXPECT_EQ(reader.ask(question(key)), "0");
    EXPECT_EQ(reader.ask(question("a")), "1");
    ASSERT_EQ(writer.run(addition(key)), SQLITE_OK);
    EXPECT_EQ(reader.ask(question(key)), "1");
  }
}

TEST_P(NamedAcrossConnections, AStatementKeepsItsSnapshot) {
  Database reader(path_.c_str());
  Database writer(path_.c_str());
  Statement scan(reader.get(), "SELECT bloom_contains_in('filters', 'f', 1, 'b') FROM " + integers(1, 100));
  ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW);
  EXPECT_EQ(scan.column_bytes(), "0");
  const int written = writer.run(addition("b"));
  EXPECT_EQ(written, std::string(GetParam()) == "WAL" ? SQLITE_OK : SQLITE_BUSY);
  ASSERT_EQ(sqlite3_step(scan.get()), SQLITE_ROW);
  EXPECT_EQ(scan.column_bytes(), "0");
  sqlite3_reset(scan.get());
  EXPECT_EQ(reader.ask(question("b")), written == SQLITE_OK ? "1" : "0");
}

TEST_P(NamedAcrossConnections, AnotherProcessIsSeen) {
  Database reader(path_.c_str());
  for (const char* key : {"b", "c", "d", "e"}) {
    EXPECT_EQ(reader.ask(question(key)), "0");
    wait_for(in_other_process(path_, [&](sqlite3* db) { return succeeds(db, addition(key)); }));
    EXPECT_EQ(reader.ask(question(key)), "1");
  }
}

INSTANTIATE_TEST_SUITE_P(Journals, NamedAcrossConnections, ::testing::Values("WAL", "DELETE"));

/// Scans are read row by row, and in between anything happens to the rows that they name. The model is the same
/// question to a subquery, which SQLite reads anew in every row.
class NamedWalk : public NamedChangesTest {
 protected:
  NamedWalk() {
    const Blob good = blob("SELECT bloom_raw(bloom_agg(i, 30000)) FROM " + integers(1, 3000));
    filters_ = {good,
                *forged_twin(good),
                with("7"),
                with("8"),
                blob("SELECT bloom_compress(?)", {good}),
                blob("SELECT bloom_add(bloom_create(9), 7)")};
    run("INSERT INTO by_name VALUES ('x', ?), ('y', ?), ('z', ?)", {filters_[0], filters_[2], filters_[3]});
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  Arg any_filter() { return below(8) == 0 ? Arg(nullptr) : Arg(filters_[below(filters_.size())]); }
  std::string any_name() { return std::string(1, "xyz"[below(3)]); }

  void change() {
    switch (below(9)) {
      case 0:
      case 1:
        db_.run("UPDATE by_name SET f = ? WHERE name = ?", {any_filter(), any_name()});
        break;
      case 2: {
        const std::string one = any_name();
        db_.run("REPLACE INTO by_name VALUES (?, ?)", {one, any_filter()});
        break;
      }
      case 3: {
        const std::string one = any_name();
        const std::string other = any_name();
        db_.run("UPDATE by_name SET name = 'w' WHERE name = ?", {one});
        db_.run("UPDATE by_name SET name = ? WHERE name = ?", {one, other});
        db_.run("UPDATE by_name SET name = ? WHERE name = 'w'", {one == other ? one : other});
        break;
      }
      case 4:
        db_.run("BEGIN");
        break;
      case 5:
        db_.run("SAVEPOINT s");
        break;
      case 6:
        db_.run(below(3) == 0 ? "ROLLBACK" : "COMMIT");
        break;
      default:
        db_.run(below(3) == 0 ? "RELEASE s" : "ROLLBACK TO s");
    }
  }

  std::mt19937_64 random_{20261122};
  std::vector<Blob> filters_;
};

TEST_F(NamedWalk, GivesTheAnswerOfTheRowAtEveryStep) {
  std::vector<std::unique_ptr<Statement>> scans(6);
  int compared = 0;
  int answers[3] = {};
  for (int step = 0; step < 6000; ++step) {
    change();
    for (std::unique_ptr<Statement>& scan : scans) {
      if (below(3) == 0) continue;
      if (scan == nullptr) {
        const std::string name = any_name();
        // Written so that SQLite has to read the model's filter in every row.
        scan = std::make_unique<Statement>(db_.get(), "SELECT bloom_contains_in('by_name', 'f', '" + name +
                                                          "', i % 2 + 7), bloom_contains((SELECT f "
                                                          "FROM by_name WHERE name = substr('" +
                                                          name + "', iif(i, 1, 1))), i % 2 + 7) FROM " +
                                                          integers(1, 10 + static_cast<std::int64_t>(below(30))));
        ASSERT_EQ(scan->status(), SQLITE_OK) << sqlite3_errmsg(db_.get());
      }
      if (sqlite3_step(scan->get()) != SQLITE_ROW) {
        scan.reset();
        continue;
      }
      const auto answer = [&](int column) {
        return sqlite3_column_type(scan->get(), column) == SQLITE_NULL ? 2 : sqlite3_column_int(scan->get(), column);
      };
      ASSERT_EQ(answer(0), answer(1)) << "step " << step;
      ++compared;
      ++answers[answer(0)];
    }
  }
  EXPECT_GT(compared, 10000);
  for (const int times : answers) EXPECT_GT(times, 500) << "every answer must have come up";
}

}  // namespace
}  // namespace crivo::testing
