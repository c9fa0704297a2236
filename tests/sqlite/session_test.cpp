// SQLite's session extension and filter tables: what a changeset transfers to another database, and which changesets
// must not be applied. See docs/sqlite_tables.md, "Changesets".
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "database.h"

namespace crivo::testing {
namespace {

/// Records a connection's changes of these tables, or of all tables if there are none.
class Session {
 public:
  Session(Database& db, const std::vector<const char*>& tables) {
    EXPECT_EQ(sqlite3session_create(db.get(), "main", &session_), SQLITE_OK);
    EXPECT_TRUE(!tables.empty() || sqlite3session_attach(session_, nullptr) == SQLITE_OK);
    for (const char* table : tables) EXPECT_EQ(sqlite3session_attach(session_, table), SQLITE_OK);
  }
  ~Session() {
    sqlite3session_delete(session_);
    sqlite3_free(changes_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Applies the changes to another database. `conflict` is the action for a row that differs there.
  int apply_to(Database& db, int conflict) {
    EXPECT_TRUE(changes_ != nullptr || sqlite3session_changeset(session_, &bytes_, &changes_) == SQLITE_OK);
    conflicts_ = 0;
    conflict_ = conflict;
    const auto decide = [](void* self, int why, sqlite3_changeset_iter*) {
      auto& session = *static_cast<Session*>(self);
      ++session.conflicts_;
      // Only a row that exists can be replaced.
      const bool can_replace = why == SQLITE_CHANGESET_DATA || why == SQLITE_CHANGESET_CONFLICT;
      return session.conflict_ == SQLITE_CHANGESET_REPLACE && !can_replace ? SQLITE_CHANGESET_OMIT : session.conflict_;
    };
    return sqlite3changeset_apply(db.get(), bytes_, changes_, nullptr, decide, this);
  }
  [[nodiscard]] int conflicts() const { return conflicts_; }

 private:
  sqlite3_session* session_ = nullptr;
  void* changes_ = nullptr;
  int bytes_ = 0;
  int conflict_ = 0;
  int conflicts_ = 0;
};

class Changesets : public ::testing::TestWithParam<std::string> {
 protected:
  void both(const std::string& sql) {
    for (Database* db : {&here_, &there_}) ASSERT_EQ(db->run(sql), SQLITE_OK) << sql;
  }
  /// The number of keys from `first` to `last` that are found in the other database.
  std::string found_there(int first, int last) {
    return there_.ask("SELECT count(*) FROM " + integers(first, last) +
                      " WHERE EXISTS (SELECT 1 FROM t WHERE key = i)");
  }
  Database here_, there_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Changesets,
                         ::testing::Values("capacity=3000", "capacity=3000, kind=counting", "kind=growing",
                                           "capacity=300, kind=scalable", "capacity=3000, kind=spectral",
                                           "capacity=3000, window=60, clock=manual"),
                         [](const auto& tested) { return "Table" + std::to_string(tested.index); });

TEST_P(Changesets, OfAllTablesMakeACopyOfTheSameStateTheSame) {
  both("CREATE VIRTUAL TABLE t USING bloom(" + GetParam() + ", fp_rate=1e-9)");
  both("INSERT INTO t(key) SELECT i FROM " + integers(1, 500));
  Session session(here_, {});
  ASSERT_EQ(here_.run("INSERT INTO t(key) SELECT i FROM " + integers(501, 1500)), SQLITE_OK);
  ASSERT_EQ(session.apply_to(there_, SQLITE_CHANGESET_ABORT), SQLITE_OK);
  EXPECT_EQ(session.conflicts(), 0);
  EXPECT_EQ(found_there(1, 1500), "1500");
  EXPECT_EQ(there_.run("INSERT INTO t(op) VALUES ('check')"), SQLITE_OK);
}

// Pages with different histories cannot be merged. Aborting keeps the target's keys, and replacing loses keys.
TEST_P(Changesets, OfPagesMustBeRefusedWhereTheTableHasChanged) {
  both("CREATE VIRTUAL TABLE t USING bloom(" + GetParam() + ", fp_rate=1e-9)");
  both("INSERT INTO t(key) SELECT i FROM " + integers(1, 500));
  Session session(here_, {});
  ASSERT_EQ(here_.run("INSERT INTO t(key) SELECT i FROM " + integers(501, 1000)), SQLITE_OK);
  ASSERT_EQ(there_.run("INSERT INTO t(key) SELECT i FROM " + integers(2001, 2500)), SQLITE_OK);
  EXPECT_EQ(session.apply_to(there_, SQLITE_CHANGESET_ABORT), SQLITE_ABORT);
  EXPECT_GT(session.conflicts(), 0);
  EXPECT_EQ(found_there(1, 500), "500");
  EXPECT_EQ(found_there(2001, 2500), "500") << "it keeps its own keys";
  // In this mode, SQLite rejects all writes to shadow tables, including those of a changeset.
  sqlite3_db_config(there_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  EXPECT_NE(session.apply_to(there_, SQLITE_CHANGESET_REPLACE), SQLITE_OK);
  EXPECT_EQ(found_there(2001, 2500), "500");
}

// The triggers of the target database's table fire for the rows of a changeset.
TEST(ChangesetsOfAColumn, MakeFiltersThatFollowItFollow) {
  for (const std::string kind : {"blocked", "counting", "growing", "scalable"}) {
    Database here, there;
    for (Database* db : {&here, &there}) {
      ASSERT_EQ(db->run("CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT)"), SQLITE_OK);
      ASSERT_EQ(db->run("INSERT INTO account SELECT i, 'old ' || i FROM " + integers(1, 500)), SQLITE_OK);
      ASSERT_EQ(db->run("CREATE VIRTUAL TABLE t USING bloom(source='account.email', fp_rate=1e-9, kind=" + kind + ")"),
                SQLITE_OK);
    }
    Session session(here, {"account"});
    ASSERT_EQ(here.run("INSERT INTO account SELECT i, 'here ' || i FROM " + integers(501, 900)), SQLITE_OK);
    ASSERT_EQ(here.run("UPDATE account SET email = 'changed ' || id WHERE id <= 100"), SQLITE_OK);
    ASSERT_EQ(here.run("DELETE FROM account WHERE id BETWEEN 400 AND 450"), SQLITE_OK);
    ASSERT_EQ(there.run("INSERT INTO account SELECT i, 'there ' || i FROM " + integers(2001, 2400)), SQLITE_OK);
    ASSERT_EQ(session.apply_to(there, SQLITE_CHANGESET_ABORT), SQLITE_OK) << kind;
    EXPECT_EQ(session.conflicts(), 0);
    EXPECT_EQ(there.ask("SELECT count(*) FROM account WHERE NOT EXISTS (SELECT 1 FROM t WHERE key = email)"), "0");
    EXPECT_EQ(there.ask("SELECT bloom_table_info('t') ->> 'follows'"), "1");
    EXPECT_EQ(there.run("INSERT INTO t(op) VALUES ('check')"), SQLITE_OK);
    if (kind == "counting" || kind == "growing") {
      EXPECT_EQ(there.ask("SELECT count(*) FROM t WHERE key IN ('old 1', 'old 420')"), "0") << "what went is forgotten";
    }
  }
}

}  // namespace
}  // namespace crivo::testing
