// Tables of the kind growing: they need no capacity, get another page when a page is full, and can remove keys.
#include "database.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;

class GrowingTable : public FilterTableTest {
 protected:
  std::string table_info(const std::string& field) { return ask("SELECT bloom_table_info('t') ->> '" + field + "'"); }
};

TEST_F(GrowingTable, GrowsFromNothingAndForgets) {
  make("kind=growing, fp_rate=1e-9");
  EXPECT_EQ(table_info("capacity"), "4294967296");
  EXPECT_EQ(table_info("pages"), "1");
  insert(1, 20'000);
  EXPECT_EQ(found(1, 20'000), 20000);
  EXPECT_EQ(found(-20'000, 0), 0);
  EXPECT_EQ(table_info("keys"), "20000");
  const int pages = std::stoi(table_info("pages"));
  EXPECT_GT(pages, 50);
  EXPECT_LE(std::stoi(table_info("bytes")), 20'000 * 7);
  run("DELETE FROM t WHERE key IN (SELECT i FROM " + integers(1, 20'000) + " WHERE i % 4 <> 0)");
  EXPECT_EQ(found(1, 20'000), 5000);
  EXPECT_EQ(table_info("keys"), "5000");
  EXPECT_EQ(ask("INSERT INTO t(op) VALUES ('check')"), "");
  run("INSERT INTO t(op) VALUES ('clear')");
  EXPECT_EQ(found(1, 20'000), 0);
  EXPECT_EQ(table_info("pages"), "1");
  insert(1, 1000);
  EXPECT_EQ(found(1, 1000), 1000);
}

TEST_F(GrowingTable, CountsCopiesAndTakesThemBack) {
  make("kind=growing");
  run("INSERT INTO t(key) SELECT 'often' FROM " + integers(1, 1000));
  run("DELETE FROM t WHERE key IN (SELECT 'often' FROM " + integers(1, 1) + ")");
  EXPECT_EQ(ask("SELECT bloom_count(bloom_snapshot('t'), 'often')"), "999");
  EXPECT_EQ(table_info("pages"), "1");
}

TEST_F(GrowingTable, HasNoPageMoreForAKeyThatItHas) {
  run("CREATE TABLE s(c UNIQUE)");
  run("CREATE VIRTUAL TABLE t USING bloom(source='s.c', kind=growing, fp_rate=1e-4)");
  for (std::int64_t keys = 250; keys <= 10'000; keys += 250) {  // at some point, one of the pages is full
    run("INSERT INTO s SELECT i FROM " + integers(keys - 249, keys));
    const std::string pages = table_info("pages");
    run("INSERT OR IGNORE INTO s SELECT i FROM " + integers(1, keys));
    ASSERT_EQ(table_info("pages"), pages) << keys;
    ASSERT_EQ(table_info("keys"), std::to_string(keys));
  }
}

// A failed split's changes stay, because SQLite does not undo a statement that adds one row to a virtual table.
TEST_F(GrowingTable, IsSoundAfterASplitThatFailed) {
  for (const std::string event :
       {"INSERT ON main.t_meta", "UPDATE ON main.t_pages WHEN length(NEW.bits) < length(OLD.bits)"}) {
    make("kind=growing, fp_rate=1e-9");
    insert(1, 500);
    run("BEGIN");
    run("CREATE TEMP TRIGGER hostile BEFORE " + event + " BEGIN SELECT RAISE(ABORT, 'not now'); END");
    std::int64_t added = 500;
    int failures = 0;
    while (failures < 5 && added < 5000) {
      const std::string result = ask("INSERT INTO t(key) VALUES (?)", {added + 1});
      if (!result.empty()) {
        EXPECT_THAT(result, HasSubstr("not now"));
        ++failures;
        if (found(added + 1, added + 1) == 0) continue;
      }
      ++added;
      EXPECT_EQ(ask("INSERT INTO t(op) VALUES ('check')"), "") << event;
    }
    EXPECT_EQ(failures, 5) << event;
    run("DROP TRIGGER temp.hostile");
    run("COMMIT");
    EXPECT_EQ(found(1, added), added);
    insert(added + 1, added + 150);
    EXPECT_EQ(found(1, added + 150), added + 150);
    EXPECT_EQ(table_info("keys"), std::to_string(added + 150)) << "those of pages that were not shortened, too";
    EXPECT_EQ(ask("INSERT INTO t(op) VALUES ('check')"), "");
    EXPECT_EQ(
        ask("SELECT sum(bloom_contains((SELECT bloom_open(bloom_snapshot('t'))), i)) FROM " + integers(1, added + 150)),
        std::to_string(added + 150));
    run("DROP TABLE t");
  }
}

TEST_F(GrowingTable, RefusesWhatItCannotKeep) {
  EXPECT_THAT(ask("CREATE VIRTUAL TABLE t USING bloom(kind=growing, capacity=4294967297)"),
              HasSubstr("capacity of kind growing must be at most 4294967296, got 4294967297"));
  make("kind=growing");
  insert(1, 1);
  run("UPDATE t_pages SET bits = substr(bits, 1, 40)");
  EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("must match its checksum"));
  run("UPDATE t_pages SET bits = zeroblob(3000)");
  EXPECT_THAT(ask("SELECT 1 FROM t WHERE key = 1"), HasSubstr("must be a blob of 24 to "));
}

}  // namespace
}  // namespace crivo::testing
