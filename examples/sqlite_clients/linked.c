/* C, with the extension linked in, so that there is no file to load:
 *
 *   cc linked.c $(pkg-config --cflags --libs crivo-sqlite sqlite3) -o linked && ./linked
 */
#include <crivo/sqlite.h>
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void* unused, int columns, char** values, char** names) {
  (void)unused, (void)names;
  for (int i = 0; i < columns; ++i) printf("%s%s", values[i], i + 1 < columns ? "|" : "\n");
  return 0;
}

int main(void) {
  const char* sql =
      "CREATE TABLE visits(name TEXT);"
      "INSERT INTO visits VALUES ('ann'), ('bob');"
      "CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits;"
      "UPDATE filters SET f = bloom_add(f, 'eve');"
      "SELECT 'filter', bloom_contains((SELECT bloom_open(f) FROM filters), 'eve'),"
      "                 bloom_contains((SELECT bloom_open(f) FROM filters), 'joe');"
      "CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked);"
      "INSERT INTO seen(key) VALUES ('eve');"
      "SELECT 'table', EXISTS(SELECT 1 FROM seen WHERE key = 'eve'), EXISTS(SELECT 1 FROM seen WHERE key = 'joe')";
  sqlite3* db = NULL;
  char* error = NULL;
  sqlite3_auto_extension((void (*)(void))sqlite3_crivo_init); /* for every connection that is opened from now on */
  if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, sql, print_row, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s\n", error != NULL ? error : sqlite3_errmsg(db));
    return 1;
  }
  return sqlite3_close(db);
}
