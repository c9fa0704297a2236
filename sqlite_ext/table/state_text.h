// The text format of a table's state: version, kind, fields in an order fixed by the kind, and a checksum. A text that
// differs from the written one is rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/host/text.h"
#include "values/boundary.h"

namespace crivo::sqlite {

[[noreturn]] void damaged_state(const std::string& what);

/// Begins the text of a state of this kind.
[[nodiscard]] std::string begin_state(std::string_view kind);
void append_field(std::string& text, std::string_view name, std::uint64_t value);
/// Appends the checksum.
[[nodiscard]] std::string end_state(std::string text);

/// Reads the fields in order. Throws HostError (SQLITE_CORRUPT_VTAB) if the text has other fields.
class StateFields {
 public:
  /// Borrows the text.
  explicit StateFields(std::string_view text);

  [[nodiscard]] std::string_view kind() const noexcept { return kind_; }
  /// Whether the next field has this name.
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name);
  template <class Number>
  [[nodiscard]] Number number(std::string_view name) {
    const std::string_view value = text(name);
    const auto number = read_number<Number>(value);
    if (!number) damaged_state("have a number as " + std::string(name));
    return *number;
  }
  /// The field page_bytes. Throws if it is above 65,536, SQLite's largest page.
  [[nodiscard]] std::size_t page_bytes();
  void require_end() const;

 private:
  std::string_view rest_;
  std::string_view kind_;
};

}  // namespace crivo::sqlite
