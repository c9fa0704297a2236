// The test of an equation, and the parities of its columns, made from one instruction set's code for eight columns. If
// the number of columns is not a multiple of eight, some are tested twice, so that nothing outside the payload is read
// and no mask is needed. Fewer than four columns are tested one by one.
//
// The including file must include <algorithm> and kinds/ribbon/simd/holds_portable.inl.h. Inside the same anonymous
// namespace of crivo, it must define the macro CRIVO_TARGET and two functions. Their parameters are (const
// RibbonEquation&, const SplitRow<kWidth>&, unsigned first, unsigned second). They compute eight parities: those of the
// four columns from `first` on and of the four from `second` on. `bool eight_hold`, for each kWidth, returns whether
// the parities are those of the fingerprint. `unsigned eight_parities`, for kWideRibbon, returns the first four in its
// lowest four bits, and the others in the next four. Defines holds(), kFewColumns and holds_few() for
// kinds/ribbon/simd/query.inl.h, and columns_of() for values.inl.h.

/// Tests at most kFewColumns columns, without a branch that depends on the key, because a mispredicted branch takes
/// longer than the code that it skips.
inline constexpr unsigned kFewColumns = 16;
template <unsigned kWidth>
[[gnu::always_inline]] CRIVO_TARGET inline bool holds_few(const RibbonEquation& equation) noexcept {
  if (equation.columns < 4) return holds_by_column<kWidth>(equation);
  const SplitRow<kWidth> row(equation);
  const unsigned last = equation.columns - 4;
  if (equation.columns <= 8) return eight_hold(equation, row, 0, last);
  const unsigned first_hold = eight_hold(equation, row, 0, 4);
  return (first_hold & unsigned{eight_hold(equation, row, std::min(8U, last), last)}) != 0;
}

template <unsigned kWidth>
CRIVO_TARGET inline bool holds(const RibbonEquation& equation) noexcept {
  if (equation.columns <= kFewColumns) return holds_few<kWidth>(equation);
  const SplitRow<kWidth> row(equation);
  const unsigned last = equation.columns - 4;
  for (unsigned column = 0; column < equation.columns; column += 8) {
    if (!eight_hold(equation, row, std::min(column, last), std::min(column + 4, last))) return false;
  }
  return true;
}

/// The parities of all columns of a key's equation.
CRIVO_TARGET inline std::uint64_t columns_of(const RibbonEquation& equation) noexcept {
  if (equation.columns < 4) return columns_one_by_one(equation);
  const SplitRow<kWideRibbon> row(equation);
  const unsigned last = equation.columns - 4;
  std::uint64_t result = 0;
  for (unsigned column = 0; column < equation.columns; column += 8) {
    const unsigned first = std::min(column, last);
    const unsigned second = std::min(column + 4, last);
    const std::uint64_t eight = eight_parities(equation, row, first, second);
    result |= (eight & 15) << first | eight >> 4 << second;
  }
  return result;
}
