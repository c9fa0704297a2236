// Loads crivo.so into every connection of SQLite's own test programs, which are compiled with
// -DSQLITE_EXTRA_INIT=load_crivo. CRIVO_SO names the file. If CRIVO_SO is unset, connections get an extension that does
// nothing, because any list of extensions changes the counts of some tests.
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static int do_nothing(void) { return SQLITE_OK; }

int load_crivo(const char* unused) {
  (void)unused;
  const char* const path = getenv("CRIVO_SO");
  if (path == NULL || *path == 0) return sqlite3_auto_extension((void (*)(void))do_nothing);
  void* const library = dlopen(path, RTLD_NOW);
  void* const entry = library != NULL ? dlsym(library, "sqlite3_crivo_init") : NULL;
  if (entry == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return sqlite3_auto_extension((void (*)(void))entry);
}
