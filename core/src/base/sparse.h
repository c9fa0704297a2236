// Which bit arrays are worth compressing (docs/format.md, "Which codec").
#pragma once

#include <cstdint>

namespace crivo {

/// Up to this share of set bits, the entropy per bit is at most 0.75.
inline constexpr double kSparseFill = 0.2145;

[[nodiscard]] inline bool is_sparse(std::uint64_t bits_set, std::uint64_t bits) noexcept {
  return static_cast<double>(bits_set) * 10000.0 <= static_cast<double>(bits) * (kSparseFill * 10000.0);
}

}  // namespace crivo
