// The state of a filter table besides its pages: one line of text, in the row 'state' of its table _meta.
//
// Every operation reads that row, and parses the text if it has changed since the last operation. So rollbacks and
// changes by other connections need no notification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/host/paged_filter.h"
#include "crivo/host/window.h"
#include "crivo/types.h"
#include "values/error.h"

namespace crivo::sqlite {

/// The requested options of a table.
struct TableSpec {
  FilterSpec spec;
  std::optional<PaneClock> clock;  // only for a window
  bool is_manual = false;          // op 'advance' sets the clock; otherwise it is SQLite's clock
  bool has_source = false;         // the keys come from a column
  bool full_is_error = false;      // whether a new key in an over-full page is an error; otherwise it is logged
  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

struct TableState : TableSpec {
  /// A blocked filter of a scalable table, or the only filter of a table of another kind.
  struct Layer {
    std::uint64_t units = 0;
    std::uint8_t probes = 0;  // the k of a Shape; for growing, the bits of a new entry
    friend bool operator==(const Layer&, const Layer&) = default;
  };

  std::size_t page_bytes = 0;  // payload bytes of a full page; in a window, of each pane
  std::vector<Layer> layers;   // oldest first; never empty
  /// 0 or 1: the half of the page numbers in use. A rebuild fills the other half and then switches.
  unsigned half = 0;

  /// The bytes of a full page; in a window, of all its panes.
  [[nodiscard]] std::size_t whole_page_bytes() const noexcept {
    return page_bytes * (clock ? clock->stored_panes() : 1);
  }
  /// The paged filter of a layer. Throws SqlError if the state is invalid.
  [[nodiscard]] PagedFilter filter(std::size_t layer) const;
  /// The spec of each pane of a window: a share of the keys, and a rate such that all panes together have the
  /// table's rate. Without a window, the table's spec.
  [[nodiscard]] FilterSpec pane_spec() const;
  friend bool operator==(const TableState&, const TableState&) = default;
};

/// The error for a kind that a table cannot have; lists the kinds that tables support.
[[nodiscard]] SqlError wrong_table_kind(const std::string& got);
/// Throws wrong_table_kind if a table cannot have this kind.
void require_table_kind(const FilterSpec& spec);

/// Whether the kind supports removing keys.
[[nodiscard]] bool can_remove(Kind kind) noexcept;

/// The state of an empty table, with rows of at most max_row_bytes bytes if possible. Throws SqlError naming an option
/// that is not allowed.
[[nodiscard]] TableState plan_table(const TableSpec& wanted, std::size_t max_row_bytes);
/// Appends a layer to a scalable table. Throws SqlError if no further layer is possible.
void add_layer(TableState& state);

[[nodiscard]] std::string to_text(const TableState& state);
/// Validates the checksum and all fields. Throws HostError (SQLITE_CORRUPT_VTAB) or SqlError.
[[nodiscard]] TableState parse_state(std::string_view text);

/// The header of a page's row: checksum, keys and generation, 8 bytes each.
inline constexpr std::size_t kRowHeaderBytes = 24;

}  // namespace crivo::sqlite
