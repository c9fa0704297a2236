/* The entry point of the SQLite extension, for programs that link the extension instead of loading crivo.so. For C, and
 * for C++ of any standard.
 *
 * Link with crivo::sqlite_static (CMake) or crivo-sqlite (pkg-config), and with SQLite 3.38 or later.
 */
#ifndef CRIVO_SQLITE_H
#define CRIVO_SQLITE_H

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;
struct sqlite3_api_routines;

/** Adds Crivo's functions and tables to one connection. Returns SQLITE_OK or a SQLite error code. An error may set
 * `*error_message`, unless `error_message` is null; the caller frees the message with sqlite3_free. A linked program
 * may pass null for `routines`. No other thread may use this connection while the call runs.
 *
 * To add them to every later connection of the process, run this once, before the first connection is opened:
 *
 *     sqlite3_auto_extension((void (*)(void))sqlite3_crivo_init);
 */
int sqlite3_crivo_init(struct sqlite3* db, char** error_message, const struct sqlite3_api_routines* routines);

#ifdef __cplusplus
}
#endif

#endif
