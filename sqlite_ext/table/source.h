// The source column of a filter table, and the triggers on the column's table that report its changes to the filter.
//
// SQLite maintains triggers: it updates them when the table or column is renamed, drops them with the table, and
// includes them in dumps. So the filter also reads its source's current names from the triggers. Each trigger reports
// the new value, the old value or both, and the filter decides what to do:
//   BEFORE INSERT ON "users" BEGIN INSERT INTO "t"(op, key) VALUES ('follow insert', new."email"); END
// A new value is reported before the row is written, and an old value is removed afterwards. So if anything ends the
// statement or a row's triggers in between (RAISE(FAIL), a violated constraint under OR FAIL), the filter has too many
// keys, never too few. The seal (seal.h) proves that no trigger was dropped and recreated.
//
// Two changes of a column's values write no row and fire no trigger: adding a column with a default, and changing the
// expression of a generated column. So the seal also stores a mark of the definition. A generated column can depend on
// any part of its table. So its mark changes with every change of the table's definition, except a rename of the table.
//
// Values that a BEFORE trigger cannot see are rejected: the rowid of a new row, and a default that replaces a NULL
// (REPLACE in a NOT NULL column). A BEFORE trigger of an UPDATE may also see a wrong value of a generated column:
// SQLite computes the value as if each input column that the UPDATE does not read were NULL, unless the trigger names
// that input column. So the triggers name all input columns.
//
// No trigger has a WHEN or OF clause, because either could miss a change. A WHEN that compares the old and new values
// cannot distinguish 'a' from 'A' in a NOCASE column. A trigger with OF does not fire for a generated column when only
// its input columns change, nor for a rowid that is set under another of its names. A trigger passes the operation as a
// value of `op`. It cannot pass it as a conflict clause (INSERT OR ...), because the conflict clause of the statement
// that fires the trigger overrides the trigger's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/shadow_tables.h"

namespace crivo::sqlite {

/// A column of a table in the filter table's schema.
struct Source {
  std::string table;
  std::string column;
};

/// Parses "table.column", split at the last dot that is not in quotes. Throws SqlError.
[[nodiscard]] Source parse_source(std::string_view text);
/// Formats a source for parse_source.
[[nodiscard]] std::string to_text(const Source& source);

/// The triggers that a filter needs on its source.
enum class TriggerSet {
  kKeys,         // for a filter in which an extra key is harmless
  kCountedKeys,  // for a filter that counts keys: one more trigger reports that the row was written
};

/// The report of a trigger to its filter table. The texts of the ops must not change, because databases store them.
enum class TriggerOp {
  kInsert,    // "follow insert": a row with this key will be inserted
  kInserted,  // "follow inserted": the row was inserted
  kUpdate,    // "follow": a row will get this key
  kUpdated,   // "follow updated": the row got this key, and had the key in arg before
  kDeleted,   // "follow deleted": a row with the key in arg was deleted
  kDefault,   // "follow default": the column gets NULL, for which REPLACE would store the default
};
/// Parses the text of an op; no value if no trigger uses it.
[[nodiscard]] std::optional<TriggerOp> parse_trigger_op(std::string_view text) noexcept;

/// The source with the names as in the schema. Throws SqlError unless the column exists, and triggers on its table can
/// see all of its values.
[[nodiscard]] Source resolve_source(sqlite3* db, const std::string& schema, const Source& source);

/// What else can happen while SQLite writes a row of a source. Foreign triggers are those that no filter table created.
struct SourceHazards {
  bool is_generated = false;  // the column is generated
  bool has_replace = false;   // the table's definition has ON CONFLICT REPLACE, so any statement may replace
  bool has_foreign_insert_trigger = false;  // a foreign trigger fires on INSERT
  bool foreign_trigger_may_write = false;   // a foreign BEFORE trigger may write, even the same row
};

/// The triggers of a filter table "t" on its source, and the values that they insert (op, key, arg). The names must not
/// change, because databases store them. The BEFORE triggers also insert kDefault if a default may replace a NULL.
/// t_follow_inserted exists only in TriggerSet::kCountedKeys.
///   t_follow_insert    BEFORE INSERT  kInsert    new
///   t_follow_inserted  AFTER INSERT   kInserted  new
///   t_follow_update    BEFORE UPDATE  kUpdate    new, old
///   t_follow_updated   AFTER UPDATE   kUpdated   new, old
///   t_follow_delete    AFTER DELETE   kDeleted   -, old
/// All functions throw HostError.
class SourceTriggers {
 public:
  /// Borrows the tables, which name the filter and its schema.
  explicit SourceTriggers(const ShadowTables& filter)
      : db_(filter.db()), schema_(filter.schema()), filter_(filter.table()) {}

  void create(const Source& source, TriggerSet set) const;
  void drop() const;
  /// Throws SqlError if a foreign trigger has one of these names.
  void require_names() const;
  /// Whether all triggers have existed since create(), and the column's definition has not changed.
  [[nodiscard]] bool complete() const;
  /// The set of triggers that exists.
  [[nodiscard]] TriggerSet set() const;
  /// The source under the names in the triggers; no value if there are no triggers.
  [[nodiscard]] std::optional<Source> source() const;
  /// Examines all triggers that this connection sees, including temporary ones.
  [[nodiscard]] SourceHazards hazards(const Source& source) const;

 private:
  struct Trigger {
    std::string name;
    Source source;
    std::int64_t rowid;
  };
  [[nodiscard]] std::string name(std::string_view event) const;
  [[nodiscard]] std::vector<Trigger> find() const;
  /// Whether this is a virtual table in the filter's schema.
  [[nodiscard]] bool is_virtual(const std::string& table) const;

  sqlite3* db_;
  const std::string& schema_;
  const std::string& filter_;
};

}  // namespace crivo::sqlite
