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

/** Adds Crivo's functions and tables to one connection. `error_message` may be null; what it is set to on failure is
 * freed with sqlite3_free. `routines` is not looked at in a linked program, and may be null. Returns SQLITE_OK or a
 * SQLite error code. One thread at a time may use a connection while this runs; others may have theirs.
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
