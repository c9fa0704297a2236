// A program with the extension linked in, which loads no file.
#include <crivo/sqlite.h>

#include <fstream>
#include <iterator>

#include "database.h"

namespace crivo::testing {
namespace {

class Linked : public ::testing::Test {
 protected:
  Database db_ = Database(":memory:", nullptr, false);
};

TEST_F(Linked, AddsItselfToOneConnectionWithoutAMessage) {
  Database without(":memory:", nullptr, false);
  EXPECT_EQ(sqlite3_crivo_init(db_.get(), nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(db_.ask("CREATE VIRTUAL TABLE t USING bloom(capacity=100)"), "");
  EXPECT_EQ(db_.ask("INSERT INTO t(key) VALUES (1)"), "");
  EXPECT_EQ(without.run("SELECT bloom_create(1)"), SQLITE_ERROR);
}

TEST_F(Linked, LetsTheNextExtensionIn) { expect_next_extension(reinterpret_cast<void (*)()>(sqlite3_crivo_init)); }

TEST_F(Linked, LoadsNoFile) {
  ASSERT_EQ(sqlite3_crivo_init(db_.get(), nullptr, nullptr), SQLITE_OK);
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_NE(mapped.find("libsqlite3"), std::string::npos);
  EXPECT_EQ(mapped.find("/crivo.so"), std::string::npos);
}

}  // namespace
}  // namespace crivo::testing
