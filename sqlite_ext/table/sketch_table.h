// A table that keeps the sketch of a column: what bloom_sketch_agg would give, while the column changes, in time that
// does not depend on the column's size, and grows with the logarithm of the sketch's. docs/sqlite_tables.md is its
// reference.
//
// What holds between two operations, after each commit and each error (the tests cite these):
// S1. While the table follows (source.h, seal.h), its pages are the sketch of the column's values. Otherwise every
//     question is an error.
// S2. A statement by which SQLite could change the column without a word to the triggers is an error, before it does
//     (but for what docs/sqlite_tables.md lists).
// A filter may have a key too many, and is told of keys before their rows are written. A sketch may not, so it is told
// of rows afterwards. As its symbols are sums, the order of what comes and goes does not matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/host/paged_sketch.h"
#include "crivo/host/text.h"
#include "table/follow.h"
#include "table/page_rows.h"
#include "values/boundary.h"

namespace crivo::sqlite {

struct SketchState {
  SketchSpec spec;
  std::size_t page_bytes = 0;
  unsigned half = 0;  // which half of the page numbers is in use: a rebuild fills the other one
};

/// It borrows the shadow tables. One thread at a time may use it. All functions throw HostError, SqlError or
/// std::bad_alloc.
class SketchTable {
 public:
  explicit SketchTable(ShadowTables& shadow) : shadow_(shadow) {}
  SketchTable(const SketchTable&) = delete;
  SketchTable& operator=(const SketchTable&) = delete;

  /// Makes the shadow tables, fills them with the column's values, and ties them to it.
  void create(const SketchSpec& spec, const Source& source);
  /// Takes what a trigger tells: what came, and what went; NULL is no key. False if the op is none of a trigger's.
  /// `conflict` is what sqlite3_vtab_on_conflict says.
  bool follow(std::string_view op, sqlite3_value* came, sqlite3_value* went, int conflict);
  /// Must be called when SQLite rolls a transaction back: where a statement that a function runs fails, SQLite may take
  /// the row back that is being written, and go on to tell that it was written.
  void note_rollback() noexcept { is_rolled_back_ = true; }
  /// So many symbols, or all others, from number `first` on.
  [[nodiscard]] Sketch part(std::uint64_t first, std::optional<std::uint64_t> symbols);

  /// Sketches the column anew, and ties the table to it again. What a rebuild has not done changes nothing.
  void rebuild();
  /// Throws SqlError unless every page is sound, and all of them are the sketch of the column, if that is asked.
  void check(bool against_source);
  /// The facts about the table. docs/sqlite_tables.md names them.
  [[nodiscard]] JsonObject info();

  /// Whether a table's state, as a text, is that of a sketch.
  [[nodiscard]] static bool is_state(std::string_view text);

 private:
  const SketchState& state();
  /// Visits the rows of all pages, checked, in their order. Throws HostError unless all are there, and no others.
  template <class Visit>
  void visit_rows(const Visit& visit);
  /// The sketch of the column as it is now.
  [[nodiscard]] Sketch sketch_of(const Source& source, const SketchSpec& spec);
  /// Writes the sketch of the column into the half that the state names, and then the state.
  void fill(const SketchState& state, const Source& source);

  ShadowTables& shadow_;
  SpareRows spare_;
  SourceWatch watch_;
  std::optional<std::string> text_;  // that state_ was parsed from
  SketchState state_;
  bool is_rolled_back_ = false;  // since a trigger told what is to come
};

}  // namespace crivo::sqlite
