// Numbers as keys. A key is a byte string: a text stands for its UTF-8 bytes, a blob for its own bytes, and a number
// for the text defined here. The same number is therefore the same key in a shell, in RocksDB and in SQL.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "crivo/cxx20.h"

namespace crivo {

/// The text of a number. view() borrows from this object.
class NumberKey {
 public:
  /// Decimal digits, with a leading '-' if negative.
  explicit NumberKey(std::int64_t value) noexcept;
  explicit NumberKey(std::uint64_t value) noexcept;
  /// A value that equals a signed or unsigned 64-bit integer has that integer's digits: 1.0 is "1", -0.0 is "0". Every
  /// NaN is "nan". Any other value has the shortest text that reads back as the same double, as std::to_chars writes
  /// it: "0.1", "1e+20", "-inf".
  explicit NumberKey(double value) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  template <class Number>
  void write(Number value) noexcept;

  std::array<char, 32> text_{};
  std::size_t size_ = 0;
};

}  // namespace crivo
