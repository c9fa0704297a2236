// A filter table that follows a column: how it is filled, kept up to date by its triggers, and built anew (F1 to F4 of
// filter_table.h).
#pragma once

#include "table/filter_table.h"
#include "table/source.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// Makes a filter table for a source, filled with the column's values and tied to it by triggers. Without a capacity
/// (0) it is made for twice the different values that there are. Throws as Operation does.
void create_following(ShadowTables& shadow, TableSpec spec, const Source& source);

/// The hazards of a table's source. It also writes the source's present name, which only the triggers have, to _meta.
class SourceWatch {
 public:
  /// Reads the hazards again if a schema has changed.
  const SourceHazards& refresh(ShadowTables& shadow);
  /// What was read last; null before the first time.
  [[nodiscard]] const SourceHazards* seen() const noexcept { return schema_ != -1 ? &hazards_ : nullptr; }

 private:
  int schema_ = -1;  // that these belong to
  SourceHazards hazards_;
  std::string source_;        // by its present name
  bool has_written_ = false;  // this name, where a rollback may have taken it back
};

/// Applies to a filter table what its triggers report, in one connection; NULL stands for no key. A key that went, and
/// cannot be removed from the filter, is counted as stale: because of the kind, because of a full counter, or because
/// the row may have lost the key before, in a change that was reported as well. Throws as Operation does.
class Follower {
 public:
  /// `or_replace` says that the statement that fired the trigger is one OR REPLACE.
  void follow(FilterTable& table, TriggerOp op, sqlite3_value* key, sqlite3_value* arg, bool or_replace);

 private:
  /// Returns the key's hash if it is counted now.
  std::optional<std::uint64_t> add(Operation& table, const KeyBytes& key, bool is_counted_later);
  void remove(Operation& table, const KeyBytes& key, bool is_certain);

  SourceWatch watch_;
  std::optional<std::uint64_t> counted_;  // the key that came last with a row that was not yet inserted, and is counted
};

/// How many keys went that the filter could not remove, since it was last built.
[[nodiscard]] std::uint64_t stale(ShadowTables& shadow);

/// Fills the table anew, ties it to the source again unless it has followed it all the time, and makes it larger if the
/// column has outgrown it. At no moment, and after no error, does it lack a key that the column has. Throws as
/// Operation does, and if it is called from a trigger: a row that is being deleted is then gone already, so the
/// rebuild would leave out its key, and afterwards the filter's own trigger would remove that key once more.
void rebuild_following(ShadowTables& shadow);

/// Drops or renames a table, with or without a source, and its triggers.
void drop_following(ShadowTables& shadow);
void rename_following(ShadowTables& shadow, const std::string& name);

/// Throws SqlError unless every value of the column is found.
void check_following(Operation& table);

/// Throws SqlError unless a table with a source was told of every change of it; otherwise it may lack values.
void require_following(ShadowTables& shadow);
/// Whether the table has a source, and its triggers have been on it ever since the table was last tied to it.
[[nodiscard]] bool is_following(ShadowTables& shadow);
/// The source by its present names; no value for a table without one. Throws HostError.
[[nodiscard]] std::optional<Source> source_of(ShadowTables& shadow);

}  // namespace crivo::sqlite
