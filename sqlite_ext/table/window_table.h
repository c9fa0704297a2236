// A filter table with a window of time: see window.h for the panes, and page_rows.h for where they lie.
#pragma once

#include "table/filter_table.h"

namespace crivo::sqlite {

class WindowTable : public FilterTable {
 public:
  explicit WindowTable(ShadowTables& shadow) : FilterTable(shadow, "state") {}

  bool add_hash(std::uint64_t hash, bool only_if_absent) override;
  void advance(sqlite3_value* time) override;
  AnyFilter snapshot(std::optional<std::uint64_t> pane, std::uint64_t max_bytes) override;
  Inventory inventory() override;

 private:
  [[nodiscard]] bool has_window() const noexcept override { return true; }
  [[nodiscard]] Panes panes() override;
  [[nodiscard]] bool is_idle(std::span<const std::byte> row) override;
  void raise_generation(std::uint64_t generation);
};

}  // namespace crivo::sqlite
