// Numbers as keys: the one spelling under which every host stores and asks for a number.
//
// A key is bytes. Text is its UTF-8 and a blob is itself; a number is the text below, so that the same number typed
// at a shell, stored in RocksDB or bound in SQL is the same key.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "crivo/cxx20.h"

namespace crivo {

/// Holds the text of a number key; view() borrows from it.
class NumberKey {
 public:
  /// The decimal digits, with a leading '-' when negative.
  explicit NumberKey(std::int64_t value) noexcept;
  explicit NumberKey(std::uint64_t value) noexcept;
  /// A value equal to a 64-bit integer, be it signed or unsigned, is that integer's digits (so 1.0 is "1" and -0.0 is
  /// "0"); every NaN is "nan"; any other is the shortest text that reads back as the same double, as std::to_chars
  /// writes it ("0.1", "1e+20", "-inf").
  explicit NumberKey(double value) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  template <class Number>
  void write(Number value) noexcept;

  std::array<char, 32> text_{};
  std::size_t size_ = 0;
};

}  // namespace crivo
