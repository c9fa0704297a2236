// The column that a filter table takes its keys from, and the triggers on the column's table that tell the filter of
// every change.
//
// Triggers are what SQLite keeps right by itself: it carries them along when the table or the column is renamed, drops
// them with the table, and writes them into a dump. So the triggers are also where the filter looks for the present
// names of its source. Each trigger says what comes and what went, and the filter decides what to make of it:
//   BEFORE INSERT ON "users" BEGIN INSERT INTO "t"(op, key) VALUES ('follow insert', new."email"); END
// What comes is told before the row is written, and what went afterwards: whatever ends a statement or the triggers of
// a row in between (RAISE(FAIL), a broken constraint under OR FAIL), the filter has too much and never too little.
// seal.h proves that nobody dropped them and made them again.
//
// Two changes of a column's values fire no trigger, because no row is written: a column that is added with a default,
// and a generated column whose expression changes. So the seal also keeps a mark of the table's definition. A generated
// column can depend on any part of its table, so every change of the definition changes the mark, except a new name of
// the table.
//
// What a BEFORE trigger cannot see is refused for filters: the rowid that SQLite gives to a new row, and a default that
// takes the place of a NULL (REPLACE in a column that is NOT NULL). And where SQLite's UPDATE does not need a column, a
// BEFORE trigger sees a generated column that is computed from NULL instead, unless the trigger names that column, too.
//
// No trigger has a WHEN or an OF, because either could miss a change. A WHEN that compares the old value with the new
// one takes 'a' for 'A' in a column that is NOCASE. An OF does not fire for a generated column when the columns change
// that it is made of, nor for a rowid that is set under another of its names. The key is handed over in an op, because
// a trigger's INSERT becomes an INSERT OR IGNORE when the statement that fires it is one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/shadow_tables.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// A column of a table in the filter table's schema.
struct Source {
  std::string table;
  std::string column;
};

/// Reads "table.column", split at the last dot unless quotes say otherwise. Throws SqlError.
[[nodiscard]] Source parse_source(std::string_view text);
/// The text that parse_source reads as this source.
[[nodiscard]] std::string to_text(const Source& source);

/// Which triggers a filter needs on its source.
enum class TriggerSet {
  kKeys,         // for a filter in which a key too many does no harm
  kCountedKeys,  // for a filter that counts its keys: one more trigger reports that the row was written
};

/// What a trigger reports to its filter table. The text of the op is stored in databases.
enum class TriggerOp {
  kInsert,    // "follow insert": a row with this key will be inserted
  kInserted,  // "follow inserted": the row was inserted
  kUpdate,    // "follow": a row will get this key
  kUpdated,   // "follow updated": the row got this key, and had the one in arg
  kDeleted,   // "follow deleted": a row with the key in arg was deleted
  kDefault,   // "follow default": the column gets NULL, for which REPLACE would write its default
};
/// Reads the text of an op; no value for an op that no trigger inserts.
[[nodiscard]] std::optional<TriggerOp> parse_trigger_op(std::string_view text) noexcept;

/// The source with its names as the schema has them. Throws SqlError unless there is such a column in a table that can
/// have triggers, and these are told of its values.
[[nodiscard]] Source resolve_source(sqlite3* db, const std::string& schema, const Source& source);

/// What else can happen while SQLite writes a row of a source.
struct SourceHazards {
  bool is_generated = false;      // the column
  bool has_replace = false;       // the table's definition has a REPLACE, which no statement shows
  bool others_on_insert = false;  // somebody else's trigger fires for a row that is inserted
  bool others_may_write = false;  // somebody else's BEFORE trigger may write, also the very row
};

/// The triggers of a filter table "t" on its source, with what they insert (op, key, arg). Their names are stored in
/// databases. The BEFORE triggers also insert kDefault where a default may take the place of a NULL. t_follow_inserted
/// exists only in TriggerSet::kCountedKeys.
///   t_follow_insert    BEFORE INSERT  kInsert    new
///   t_follow_inserted  AFTER INSERT   kInserted  new
///   t_follow_update    BEFORE UPDATE  kUpdate    new, old
///   t_follow_updated   AFTER UPDATE   kUpdated   new, old
///   t_follow_delete    AFTER DELETE   kDeleted   -, old
/// All functions throw HostError.
class SourceTriggers {
 public:
  /// Borrows the tables, which tell where the filter is.
  explicit SourceTriggers(const ShadowTables& filter)
      : db_(filter.db()), schema_(filter.schema()), filter_(filter.table()) {}

  void create(const Source& source, TriggerSet set) const;
  void drop() const;
  /// Throws SqlError if a trigger that is not the filter's has one of their names.
  void require_names() const;
  /// Whether all of them are there, and have been since create made them, and the column is defined as it was then.
  [[nodiscard]] bool complete() const;
  /// The set that exists.
  [[nodiscard]] TriggerSet set() const;
  /// The source as the triggers name it now; no value if there is none of them.
  [[nodiscard]] std::optional<Source> source() const;
  /// Judged by all triggers that this connection sees, including temporary ones.
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
