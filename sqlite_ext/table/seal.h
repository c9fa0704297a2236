// The seal of a filter table that follows a column: an empty table, made when its triggers have just been made.
//
// That the triggers are there does not prove that they were there all the time. SQLite's own way to change a table is
// to save their text, to drop the table with them, and to run the text again; and any program may do so, also one
// without the extension. What none of them can do without meaning to is to put a trigger in front of the seal:
//
//   A row of sqlite_schema gets a rowid above those of all other rows, and keeps its place among the triggers and the
//   virtual tables for as long as it lives, through ALTER TABLE and VACUUM, too. So a trigger of a lower rowid than the
//   seal is one of those that were made before it, and has been there ever since.
//
// The seal also carries a mark of what else its filter was made from, and proves nothing once that is another.
//
// The seal must be a virtual table. VACUUM makes ordinary tables first, and a trigger or a view would be dropped and
// made again together with the triggers. What is loaded from an SQL dump has all triggers at its end: no proof.
#pragma once

#include <sqlite3ext.h>

#include <cstdint>
#include <string>

namespace crivo::sqlite {

/// The rowid in sqlite_schema of the seal that has this mark, or any for an empty one; 0 if there is none. A mark is a
/// number in brackets. All functions throw HostError.
[[nodiscard]] std::int64_t find_seal(sqlite3* db, const std::string& schema, const std::string& filter,
                                     const std::string& mark);
/// Makes a seal, or drops it if it is there.
void create_seal(sqlite3* db, const std::string& schema, const std::string& filter, const std::string& mark);
void drop_seal(sqlite3* db, const std::string& schema, const std::string& filter);

/// Registers the module of seals. Returns a SQLite result code.
[[nodiscard]] int register_seal(sqlite3* db);

}  // namespace crivo::sqlite
