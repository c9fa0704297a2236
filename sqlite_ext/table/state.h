// What a filter table knows about itself beside its pages: one line of text, in the row 'state' of its table _meta.
//
// Every operation reads that row and compares the text with the one that was parsed last. So nothing has to be told
// about changes: what a rollback took back, or another connection did, is seen because the text is another one.
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

namespace crivo::sqlite {

struct TableState {
  /// A blocked filter of a scalable table, or the one filter of a table of another kind.
  struct Layer {
    std::uint64_t units = 0;
    std::uint8_t probes = 0;  // of growing, the bits of a new entry
    friend bool operator==(const Layer&, const Layer&) = default;
  };

  FilterSpec spec;
  std::size_t page_bytes = 0;      // the bytes of the payload in a full page; of a window: of each pane
  std::vector<Layer> layers;       // oldest first; never empty
  std::optional<PaneClock> clock;  // of a table with a window
  bool is_manual = false;          // only `advance` sets the clock, which otherwise is SQLite's
  bool has_source = false;         // the keys are those of a column
  /// 0 or 1: which half of the page numbers is in use. A rebuild fills the other half, and then takes over.
  unsigned half = 0;
  bool full_is_error = false;  // a new key in an over-full page, which otherwise is logged

  /// The bytes of a full page; of a window, those of all panes.
  [[nodiscard]] std::size_t whole_page_bytes() const noexcept { return page_bytes * (clock ? clock->kept_panes() : 1); }
  /// The filter of a layer, laid out in pages. Throws SqlError if the state does not describe one.
  [[nodiscard]] PagedFilter filter(std::size_t layer) const;
  /// What each pane of a window is made for: its share of the keys, at such a rate that all panes together keep the
  /// promised one. Without a window it is the spec.
  [[nodiscard]] FilterSpec pane_spec() const;
  friend bool operator==(const TableState&, const TableState&) = default;
};

/// Throws SqlError, with the names of the kinds that a table can have, for another one.
void require_table_kind(const FilterSpec& spec);
/// The kinds that a table can have, for messages.
inline constexpr std::string_view kTableKinds =
    "one of a table's (blocked, counting, growing, scalable[:growth: 2 to 16], spectral[:counter bits: 4, 8, 16 or "
    "32])";

/// Whether keys can be taken back.
[[nodiscard]] bool can_remove(Kind kind) noexcept;

/// What a table is asked to be.
struct TableSpec {
  FilterSpec filter;
  std::optional<PaneClock> clock;
  bool is_manual = false;
  bool has_source = false;
  bool full_is_error = false;
};

/// The state of an empty table, whose rows have at most row_room bytes if they can. Throws SqlError naming the option
/// that is not allowed.
[[nodiscard]] TableState plan_table(const TableSpec& spec, std::size_t row_room);
/// Appends the next layer of a scalable table. Throws SqlError if there is none.
void add_layer(TableState& state);

[[nodiscard]] std::string to_text(const TableState& state);
/// Throws HostError (SQLITE_CORRUPT_VTAB) or SqlError for a text that to_text did not write; a checksum is in it.
[[nodiscard]] TableState parse_state(std::string_view text);

/// The bytes of a page row in front of the payload: checksum, keys and generation, 8 bytes each.
inline constexpr std::size_t kRowHeaderBytes = 24;

}  // namespace crivo::sqlite
