/* The SQLite extension for programs that are linked with it, instead of loading crivo.so. C, and C++ of any standard.
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

/** Adds Crivo's functions and tables to one connection. `error_message` may be null; the caller frees an error message
 * with sqlite3_free. A linked program may pass null for `routines`, which is ignored there. Returns SQLITE_OK or a
 * SQLite error code. No other thread may use this connection while the call runs.
 *
 * For all connections that the process opens from now on, call once, before the first of them is opened:
 *
 *     sqlite3_auto_extension((void (*)(void))sqlite3_crivo_init);
 */
int sqlite3_crivo_init(struct sqlite3* db, char** error_message, const struct sqlite3_api_routines* routines);

#ifdef __cplusplus
}
#endif

#endif
