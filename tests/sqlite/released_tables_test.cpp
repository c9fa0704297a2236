// Filter tables that a released version wrote (tests/golden/tables) have every key, and can be changed.
#include <filesystem>
#include <optional>

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

const std::string kNumbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) ";

class ReleasedTables : public ::testing::Test {
 protected:
  ReleasedTables() {
    const std::string copy = folder_.file("copy.db");
    std::filesystem::copy_file(std::filesystem::path(CRIVO_GOLDEN_DIR) / "tables/0.1.0.db", copy);
    std::filesystem::permissions(copy, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    db_.emplace(copy.c_str());
  }

  /// The number of integers from 1 to `last` that the table contains.
  std::string count(const std::string& table, int last) {
    return db_->ask(kNumbers + "SELECT count(*) FROM n JOIN " + table +
                    " ON key = i WHERE i <= " + std::to_string(last));
  }

  TempFolder folder_;
  std::optional<Database> db_;
};

TEST_F(ReleasedTables, HaveEveryKeyAndTakeMore) {
  for (const auto& [table, keys] : std::vector<std::pair<std::string, int>>{
           {"t_blocked", 100}, {"t_counting", 99}, {"t_growing", 600}, {"t_scalable", 300}, {"t_spectral", 60}}) {
    SCOPED_TRACE(table);
    EXPECT_EQ(count(table, keys), std::to_string(keys));
    EXPECT_EQ(db_->ask("INSERT INTO " + table + "(op) VALUES ('check')"), "");
    EXPECT_EQ(db_->ask("INSERT INTO " + table + "(key) VALUES ('new')"), "");
    EXPECT_EQ(count(table, keys), std::to_string(keys));
    EXPECT_EQ(db_->ask("SELECT count(*) FROM " + table + " WHERE key = 'new'"), "1");
  }
  EXPECT_EQ(db_->ask("PRAGMA integrity_check"), "ok");
}

TEST_F(ReleasedTables, CountTheirKeys) {
  for (const std::string table : {"t_growing", "t_spectral"}) {
    EXPECT_EQ(db_->ask("SELECT bloom_count(bloom_snapshot('" + table + "'), 7)"), "3") << table;
  }
  EXPECT_EQ(db_->ask("DELETE FROM t_counting WHERE key = 7"), "");
  EXPECT_EQ(count("t_counting", 99), "98");
}

TEST_F(ReleasedTables, WithAWindowLetOldKeysExpire) {
  const std::string kept =
      "SELECT group_concat(key) FROM (SELECT key FROM t_window WHERE key IN ('first', 'third', 'new') ORDER BY key)";
  EXPECT_EQ(db_->ask(kept), "first,third");
  EXPECT_EQ(db_->ask("INSERT INTO t_window(op, arg) VALUES ('advance', 3600 * 500004)"), "");
  EXPECT_EQ(db_->ask("INSERT INTO t_window(key) VALUES ('new')"), "");
  EXPECT_EQ(db_->ask(kept), "new,third");
}

TEST_F(ReleasedTables, FollowTheirColumn) {
  EXPECT_EQ(db_->ask("SELECT count(*) FROM account JOIN t_source ON key = email"), "250");
  EXPECT_EQ(db_->ask("INSERT INTO account VALUES ('new@example.org')"), "");
  EXPECT_EQ(db_->ask("SELECT count(*) FROM t_source WHERE key = 'new@example.org'"), "1");
  EXPECT_EQ(db_->ask("DELETE FROM account WHERE rowid <= 10"), "");
  EXPECT_EQ(db_->ask("SELECT count(*) FROM account JOIN t_source ON key = email"), "241");
}

}  // namespace
}  // namespace crivo::testing
