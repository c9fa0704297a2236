#include "crivo/key.h"

#include <charconv>
#include <cmath>

namespace crivo {

NumberKey::NumberKey(std::int64_t value) noexcept { write_integer(value); }

NumberKey::NumberKey(double value) noexcept {
  // 2^63 is a double but not a 64-bit integer, so the upper bound is exclusive.
  constexpr double kTwo63 = 9223372036854775808.0;
  if (value >= -kTwo63 && value < kTwo63 && std::trunc(value) == value) {
    write_integer(static_cast<std::int64_t>(value));
    return;
  }
  size_ = static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), value).ptr - text_.data());
}

void NumberKey::write_integer(std::int64_t value) noexcept {
  size_ = static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), value).ptr - text_.data());
}

}  // namespace crivo
