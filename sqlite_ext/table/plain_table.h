// A filter table without a window, alone or with a source (follow.h).
#pragma once

#include "table/filter_table.h"

namespace crivo::sqlite {

class PlainTable : public FilterTable {
 public:
  explicit PlainTable(ShadowTables& shadow, std::string state_row = "state")
      : FilterTable(shadow, std::move(state_row)) {}

  bool add_hash(std::uint64_t hash, bool only_if_absent) override;
  void merge(const FilterRef& other) override;
  AnyFilter snapshot(std::optional<std::uint64_t> pane, std::uint64_t max_bytes) override;

  /// Adds many keys, and sorts their hashes to write each page once.
  void add_hashes(std::span<std::uint64_t> hashes);
  /// Replaces all keys by those that `fill` adds to an empty table in its place. Until all is done, and if anything
  /// fails, the table has the old keys.
  void replace(std::uint64_t capacity, const std::function<void(PlainTable& fresh)>& fill);

 private:
  [[nodiscard]] bool has_window() const noexcept override { return false; }
  [[nodiscard]] bool is_idle(std::span<const std::byte> row) override;
  [[nodiscard]] std::optional<bool> add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent) const;
  [[nodiscard]] bool is_full(PageRows& rows, std::uint64_t page) const;
  void grow();
};

}  // namespace crivo::sqlite
