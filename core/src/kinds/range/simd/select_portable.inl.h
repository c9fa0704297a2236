// Finds a set bit in portable code. The including file must include <bit>. Defines select_bit(), for
// kinds/range/simd/query.inl.h.

/// Halves the word until one bit is left.
inline std::uint64_t select_bit(std::uint64_t word, std::uint64_t rank) noexcept {
  std::uint64_t place = 0;
  for (unsigned width = 32; width > 0; width /= 2) {
    const auto below = static_cast<std::uint64_t>(std::popcount((word >> place) & ((std::uint64_t{1} << width) - 1)));
    if (rank >= below) {
      rank -= below;
      place += width;
    }
  }
  return place;
}
