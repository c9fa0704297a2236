// The test of an equation in portable code: column by column, until a parity differs from the fingerprint's bit. The
// including file must include <bit>, <type_traits>, crivo/host/bytes.h and kinds/ribbon/layout.h. Defines SplitRow,
// holds_by_column() and columns_one_by_one().

/// A word of a column in a ribbon of this width.
template <unsigned kWidth>
using RibbonWord = std::conditional_t<kWidth == kWideRibbon, std::uint64_t, std::uint32_t>;

/// The row's bits in the start's word, and those in the next word.
template <unsigned kWidth>
struct SplitRow {
  RibbonWord<kWidth> here;
  RibbonWord<kWidth> next;

  // A row that starts at a word's first slot has no bits in the next word. A shift by the width would be undefined, so
  // the row is shifted in two steps.
  explicit SplitRow(const RibbonEquation& equation) noexcept
      : here(static_cast<RibbonWord<kWidth>>(equation.row << equation.shift)),
        next(static_cast<RibbonWord<kWidth>>(equation.row >> 1 >> (kWidth - 1 - equation.shift))) {}
};

template <unsigned kWidth>
inline bool holds_by_column(const RibbonEquation& equation) noexcept {
  using Word = RibbonWord<kWidth>;
  const SplitRow<kWidth> row(equation);
  const std::byte* words = equation.words;
  const std::byte* next_words = words + sizeof(Word) * equation.columns;
  for (unsigned column = 0; column < equation.columns; ++column) {
    const Word solution = (load_le<Word>(words + sizeof(Word) * column) & row.here) ^
                          (load_le<Word>(next_words + sizeof(Word) * column) & row.next);
    const auto parity = static_cast<unsigned>(std::popcount(solution)) & 1;
    if (parity != (equation.fingerprint >> column & 1)) return false;
  }
  return true;
}

/// The parities of all columns of a wide ribbon, column c in bit c.
inline std::uint64_t columns_one_by_one(const RibbonEquation& equation) noexcept {
  const SplitRow<kWideRibbon> row(equation);
  const std::byte* next_words = equation.words + 8 * equation.columns;
  std::uint64_t result = 0;
  for (unsigned column = 0; column < equation.columns; ++column) {
    const std::uint64_t solution = (load_le<std::uint64_t>(equation.words + 8 * column) & row.here) ^
                                   (load_le<std::uint64_t>(next_words + 8 * column) & row.next);
    result |= static_cast<std::uint64_t>(std::popcount(solution) & 1) << column;
  }
  return result;
}
