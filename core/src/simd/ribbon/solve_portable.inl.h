// Solving in portable code, for files that define CRIVO_TARGET. See layout/ribbon_band.h.

// A word has the solution of 64 slots, each at its slot modulo 64: the next bit takes the place of the last.
CRIVO_TARGET inline void solve(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots,
                               unsigned columns, std::uint64_t* window) noexcept {
  for (std::size_t slot = slots; slot-- > 0;) {
    const std::uint64_t bit = std::uint64_t{1} << slot;
    for (unsigned column = 0; column < columns; ++column) {
      const std::uint64_t others = window[column] & ~bit;
      const auto sum = static_cast<unsigned>(__builtin_parityll(others & rows[slot])) ^ results[slot] >> column;
      window[column] = others | std::uint64_t{sum & 1} << slot;
    }
  }
}
