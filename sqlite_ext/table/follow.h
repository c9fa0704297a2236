// Filter tables that follow a column: filling them, updating them by triggers, and rebuilding them (F1 to F4 of
// filter_table.h).
#pragma once

#include <cstdint>
#include <optional>

#include "table/filter_table.h"
#include "table/source.h"
#include "values/value.h"

namespace crivo::sqlite {

/// Creates a filter table for a source, fills it with the column's values, and creates its triggers. A capacity of 0
/// means twice the number of different values, and at least 10000. Throws as Operation does.
void create_following(ShadowTables& shadow, TableSpec wanted, const Source& source);

/// Caches the hazards of a table's source. Also stores the source's current name in _meta, because otherwise only the
/// triggers contain that name.
class SourceWatch {
 public:
  /// Returns the hazards; reads them again if a schema has changed.
  const SourceHazards& refresh(ShadowTables& shadow);
  /// The hazards as last read; null before the first refresh.
  [[nodiscard]] const SourceHazards* seen() const noexcept { return schema_ != -1 ? &hazards_ : nullptr; }

 private:
  int schema_ = -1;  // ShadowTables::schema_seen() when the hazards were read
  SourceHazards hazards_;
  std::string source_;        // the text of the source under its current name
  bool has_written_ = false;  // this connection stored the name; a rollback may have undone that
};

/// Applies the reports of triggers to a filter table, for one connection. NULL means no key. Counts an old key as stale
/// if the filter cannot remove the key: because of the filter's kind, because a counter is full, or because the row may
/// not have had this key. Throws as Operation does.
class Follower {
 public:
  /// `or_replace`: the statement that fired the trigger is INSERT OR REPLACE or UPDATE OR REPLACE.
  void follow(FilterTable& table, TriggerOp op, sqlite3_value* new_value, sqlite3_value* old_value, bool or_replace);

 private:
  /// For a row that is about to be inserted. With `is_counted_later`, counts only an absent key.
  void begin_insert(Operation& table, const KeyBytes& key, bool is_counted_later);
  /// For an inserted row: counts the key, unless begin_insert has counted it.
  void end_insert(Operation& table, const KeyBytes& key);
  void add(Operation& table, const KeyBytes& key);
  void remove(Operation& table, const KeyBytes& key, bool is_certain);

  SourceWatch watch_;
  std::optional<std::uint64_t> uncounted_;  // the hash of the last begun row, if end_insert is to count it
};

/// The number of old keys that the filter could not remove since it was last built.
[[nodiscard]] std::uint64_t stale(ShadowTables& shadow);

/// Refills the table, and enlarges it if the column has more values than its capacity. Recreates the triggers unless
/// they have existed since the table was last filled. Loses no key of the column, even after an error. Throws as
/// Operation does, and SqlError inside another statement that writes. In a trigger on DELETE, for example, the rebuild
/// would omit the key of the deleted row, and the filter's own trigger would then remove that key once more.
void rebuild_following(ShadowTables& shadow);

/// Drops or renames a table and its triggers; the table may have no source.
void drop_following(ShadowTables& shadow);
void rename_following(ShadowTables& shadow, const std::string& name);

/// Throws SqlError unless the filter finds every value of the column.
void check_following(Operation& table);

/// Throws SqlError if a table with a source may have missed a change of the source, and so may lack values.
void require_following(ShadowTables& shadow);
/// Whether the triggers and the seal prove that the table has missed no change of its source (F2).
[[nodiscard]] bool is_following(ShadowTables& shadow);
/// The source under its current names; no value if the table has no source. Throws as Operation does.
[[nodiscard]] std::optional<Source> source_of(ShadowTables& shadow);

}  // namespace crivo::sqlite
