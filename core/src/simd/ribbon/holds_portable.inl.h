// A query's test in portable code: column after column, until the parity of one differs from the fingerprint's bit. The
// including file must have included <bit>, crivo/host/bytes.h and layout/ribbon_layout.h. It gets: holds_by_column().

/// A row's bits that stand in the block of its start, and those in the next block.
struct SplitRow {
  std::uint64_t here;
  std::uint64_t next;

  // A row that starts at a block's first slot has no bits in the next block. That takes a shift by 64, which C++ does
  // not allow; so the row is shifted by 1 and then by 63.
  explicit SplitRow(const RibbonEquation& equation) noexcept
      : here(equation.row << equation.shift), next(equation.row >> 1 >> (63 - equation.shift)) {}
};

inline bool holds_by_column(const RibbonEquation& equation) noexcept {
  const SplitRow row(equation);
  const std::byte* words = equation.words;
  const std::byte* next_words = words + 8 * equation.columns;
  for (unsigned column = 0; column < equation.columns; ++column) {
    const std::uint64_t solution = (load_le<std::uint64_t>(words + 8 * column) & row.here) ^
                                   (load_le<std::uint64_t>(next_words + 8 * column) & row.next);
    const auto parity = static_cast<unsigned>(std::popcount(solution)) & 1;
    if (parity != (equation.fingerprint >> column & 1)) return false;
  }
  return true;
}
