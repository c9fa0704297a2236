// The entry point: which SQLite and which CRIVO_ISA it rejects, and that it works as an automatic extension.
#include <dlfcn.h>
// Without SQLITE_CORE, the header would redirect every call of SQLite to the function table, as in an extension.
#define SQLITE_CORE 1
#include <sqlite3ext.h>

#include "database.h"
#include "environment.h"

namespace crivo::testing {
namespace {

using EntryPoint = int (*)(sqlite3*, char**, const sqlite3_api_routines*);

EntryPoint entry_point() {
  void* library = dlopen(CRIVO_SO, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<EntryPoint>(dlsym(library, "sqlite3_crivo_init"));
}

/// The function table of an old SQLite. Except for mprintf and the functions that report the version, all are null.
sqlite3_api_routines table_of_version_3_37() {
  sqlite3_api_routines table{};
  table.libversion_number = [] { return 3037002; };
  table.libversion = [] { return "3.37.2"; };
  table.mprintf = sqlite3_mprintf;
  return table;
}

TEST(EntryPoint, TellsASQLiteThatIsTooOld) {
  const EntryPoint init = entry_point();
  ASSERT_NE(init, nullptr) << dlerror();
  const sqlite3_api_routines old = table_of_version_3_37();
  char* message = nullptr;
  EXPECT_EQ(init(nullptr, &message, &old), SQLITE_ERROR);
  EXPECT_STREQ(message, "crivo: SQLite must be 3.38 or later, got 3.37.2");
  sqlite3_free(message);
}

// sqlite3_auto_extension also works in a SQLite that was compiled with SQLITE_OMIT_LOAD_EXTENSION.
TEST(EntryPoint, RefusesASQLiteWithoutAFunctionTable) {
  char* message = nullptr;
  EXPECT_EQ(entry_point()(nullptr, &message, nullptr), SQLITE_ERROR);
  EXPECT_EQ(message, nullptr);
}

TEST(EntryPoint, LetsTheNextAutomaticExtensionIn) {
  expect_next_extension(reinterpret_cast<void (*)()>(entry_point()));
}

TEST(EntryPoint, StaysLoadedWhenTheConnectionCloses) {
  { const Database db; }
  EXPECT_NE(dlopen(CRIVO_SO, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(EntryPoint, RefusesASecondSQLiteOfTheProcess) {
  Database db;
  sqlite3_api_routines other = table_of_version_3_37();
  other.libversion_number = [] { return 3053000; };
  other.libversion = [] { return "3.53.0"; };
  char* message = nullptr;
  EXPECT_EQ(entry_point()(nullptr, &message, &other), SQLITE_ERROR);
  EXPECT_THAT(message,
              AllOf(HasSubstr(sqlite3_libversion()), HasSubstr("3.53.0"), HasSubstr("load a copy of the file")));
  sqlite3_free(message);
  EXPECT_EQ(db.ask("SELECT bloom_contains(bloom_add(bloom_create(10), 'a'), 'a')"), "1");
}

TEST(EntryPoint, RefusesAnInstructionSetThatItDoesNotKnow) {
  const Environment altivec("CRIVO_ISA", "altivec");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  sqlite3_enable_load_extension(db, 1);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_load_extension(db, CRIVO_SO, nullptr, &message), SQLITE_ERROR);
  EXPECT_THAT(message, HasSubstr("CRIVO_ISA must be one of scalar"));
  sqlite3_free(message);
  sqlite3_close(db);
}

}  // namespace
}  // namespace crivo::testing
