/* SQLite's WebAssembly build calls this function when it starts, so that every connection has the extension. */
#include "sqlite3.h"

int sqlite3_crivo_init(sqlite3*, char**, const struct sqlite3_api_routines*);

int sqlite3_wasm_extra_init(const char* unused) {
  (void)unused;
  return sqlite3_auto_extension((void (*)(void))sqlite3_crivo_init);
}
