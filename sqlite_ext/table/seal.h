// The seal of a filter table that follows a column: an empty table, created right after the triggers.
//
// The seal proves that the triggers have never been dropped; their existence now is no proof. SQLite's documented way
// to change a table is to save the triggers' texts, to drop the table, and to run the texts again. Any program may do
// so, even without the extension. But no program puts a trigger in front of the seal by accident:
//
//   A new row of sqlite_schema has the highest rowid, and the triggers and virtual tables retain their order as long as
//   they exist, even through ALTER TABLE and VACUUM. So a trigger with a lower rowid than the seal was created before
//   the seal, and has existed ever since.
//
// The seal also stores a mark: a hash of the column's definition and of the number of triggers when the triggers were
// created. If the mark is now different, the seal proves nothing.
//
// The seal must be a virtual table: VACUUM writes ordinary tables first, and programs that recreate the triggers may
// also recreate other triggers and views. An SQL dump has all triggers last, so a restored database has no proof.
#pragma once

#include <sqlite3ext.h>

#include <cstdint>
#include <string>

namespace crivo::sqlite {

/// The rowid in sqlite_schema of the seal with this mark; 0 if there is no such seal. A mark is a number in
/// parentheses; an empty `mark` matches every seal. find_seal, create_seal and drop_seal throw HostError.
[[nodiscard]] std::int64_t find_seal(sqlite3* db, const std::string& schema, const std::string& filter,
                                     const std::string& mark);
/// Creates the seal of a filter, with this mark.
void create_seal(sqlite3* db, const std::string& schema, const std::string& filter, const std::string& mark);
/// Drops the seal, if there is one.
void drop_seal(sqlite3* db, const std::string& schema, const std::string& filter);

/// Registers the module of seals. Returns a SQLite result code.
[[nodiscard]] int register_seal(sqlite3* db);

}  // namespace crivo::sqlite
