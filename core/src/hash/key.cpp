#include "crivo/key.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace crivo {

template <class Number>
void NumberKey::write(Number value) noexcept {
  size_ = static_cast<std::size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), value).ptr - text_.data());
}

NumberKey::NumberKey(std::int64_t value) noexcept { write(value); }
NumberKey::NumberKey(std::uint64_t value) noexcept { write(value); }

NumberKey::NumberKey(double value) noexcept {
  // The bounds 2^63 and 2^64 are doubles; the largest integers, 2^63 - 1 and 2^64 - 1, are not.
  constexpr double kTwo63 = 0x1p63;
  constexpr double kTwo64 = 0x1p64;
  const bool integral = std::trunc(value) == value;
  if (integral && value >= -kTwo63 && value < kTwo63) {
    write(static_cast<std::int64_t>(value));
  } else if (integral && value >= kTwo63 && value < kTwo64) {
    write(static_cast<std::uint64_t>(value));
  } else {  // drops a NaN's sign, which depends on the CPU; to_chars would write the sign
    write(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
}

}  // namespace crivo
