// A filter table that follows a column: how it is filled, kept up to date by its triggers, and built anew.
//
// What holds beside plain_table.h:
// F1. While the table follows, every value of the column is found, also in the middle of a statement.
// F2. The table follows if its triggers and its seal say so (source.h, seal.h): they were there, and the column was
//     defined as it is, ever since the table was filled. If it does not, a "no" is an error.
// F3. Keys come and go by the triggers and by 'rebuild' alone.
// F4. Only a statement of its own fills a table and makes its triggers: no row is changed by half then.
#pragma once

#include "table/filter_table.h"
#include "table/source.h"

namespace crivo::sqlite {

/// Makes a filter table for a source, filled with the column's values and tied to it by triggers. Without a capacity
/// (0) it is made for twice the different values that there are. Throws as FilterTable does.
void create_following(ShadowTables& shadow, TableSpec spec, const Source& source);

/// What a trigger does: a key came, or went, or was replaced by another. A key that went is counted as stale if it
/// cannot be removed, because of the kind or of a full counter. Either value may be NULL, which is no key. Throws as
/// FilterTable does.
void follow(FilterTable& table, sqlite3_value* came, sqlite3_value* went);
/// How many keys went that the filter could not remove, since it was last built.
[[nodiscard]] std::uint64_t stale(ShadowTables& shadow);

/// Fills the table anew, ties it to the source again unless it has followed it all the time, and makes it larger if the
/// column has outgrown it. At no moment, and after no error, does it lack a key that the column has. Throws as
/// FilterTable does, and where a trigger calls it: a row that is being deleted is already gone, so a rebuild would not
/// count its key, and the filter's own trigger would then take back that key all the same.
void rebuild_following(ShadowTables& shadow);

/// Drops or renames a filter table, with or without a source, and its triggers.
void drop_following(ShadowTables& shadow);
void rename_following(ShadowTables& shadow, const std::string& name);

/// Throws SqlError unless every value of the column is found.
void check_following(FilterTable& table);

/// Throws SqlError unless a table with a source was told of every change of it; otherwise it may lack values.
void require_following(ShadowTables& shadow);
/// Whether the table has a source, and its triggers have been on it ever since the table was last tied to it.
[[nodiscard]] bool is_following(ShadowTables& shadow);
/// The source by its present names; no value for a table without one. Throws HostError.
[[nodiscard]] std::optional<Source> source_of(ShadowTables& shadow);

}  // namespace crivo::sqlite
