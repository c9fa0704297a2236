// A program with the extension linked in, which loads no file.
#include <crivo/sqlite.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>
#include <string>

namespace crivo::testing {
namespace {

class Connection {
 public:
  Connection() { EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK) << sqlite3_errmsg(db_); }
  ~Connection() { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sqlite3* get() const { return db_; }
  int run(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }

 private:
  sqlite3* db_ = nullptr;
};

void one(sqlite3_context* context, int, sqlite3_value**) { sqlite3_result_int(context, 1); }

int another_extension(sqlite3* db, char**, const sqlite3_api_routines*) {
  return sqlite3_create_function(db, "another", 0, SQLITE_UTF8, nullptr, one, nullptr, nullptr);
}

class Linked : public ::testing::Test {
 protected:
  ~Linked() override { sqlite3_reset_auto_extension(); }
};

TEST_F(Linked, AddsItselfToOneConnectionWithoutAMessage) {
  Connection with;
  Connection without;
  EXPECT_EQ(sqlite3_crivo_init(with.get(), nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(with.run("CREATE VIRTUAL TABLE t USING bloom(capacity=100); INSERT INTO t(key) VALUES (1)"), SQLITE_OK);
  EXPECT_EQ(without.run("SELECT bloom_create(1)"), SQLITE_ERROR);
}

/// SQLite treats any code except SQLITE_OK as a failure, and then calls no other extension.
TEST_F(Linked, LetsTheNextExtensionIn) {
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(sqlite3_crivo_init));
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(another_extension));
  Connection db;
  EXPECT_EQ(db.run("SELECT bloom_create(1), another()"), SQLITE_OK);
}

TEST_F(Linked, LoadsNoFile) {
  Connection db;
  ASSERT_EQ(sqlite3_crivo_init(db.get(), nullptr, nullptr), SQLITE_OK);
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_NE(mapped.find("libsqlite3"), std::string::npos);
  EXPECT_EQ(mapped.find("/crivo.so"), std::string::npos);
}

}  // namespace
}  // namespace crivo::testing
