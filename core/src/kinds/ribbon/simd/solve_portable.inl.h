// Back-substitution in portable code (kinds/ribbon/band.h). The including file must define the macro CRIVO_TARGET.
// Defines solve(), a RibbonKernels::ribbon_solve (kinds/ribbon/kernels.h).

// Each word of the window holds one column of the solution at the 64 slots after the current slot. The current slot's
// bit replaces the bit of the slot that is 64 slots later, which no remaining row reaches.
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
