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

/// The name of a filter table's seal.
[[nodiscard]] std::string seal_name(const std::string& filter);

/// The SQL that finds the rowid of the seal with the name ?2 in `schema_table`; NULL if there is none.
[[nodiscard]] std::string select_seal(const std::string& schema_table);

/// Makes a seal, tells whether it is there with this mark, or drops it if it is there. All throw HostError.
void create_seal(sqlite3* db, const std::string& schema, const std::string& filter, std::uint64_t mark);
[[nodiscard]] bool has_seal(sqlite3* db, const std::string& schema, const std::string& filter, std::uint64_t mark);
void drop_seal(sqlite3* db, const std::string& schema, const std::string& filter);

/// Registers the module of seals. Returns a SQLite result code.
[[nodiscard]] int register_seal(sqlite3* db);

}  // namespace crivo::sqlite
