// The parities of all columns of a key's equation, from one instruction set's parities of eight columns.
//
// The including file must include <algorithm> and kinds/ribbon/simd/holds_portable.inl.h, and must define, inside the
// same anonymous namespace of crivo: the macro CRIVO_TARGET, and `unsigned eight_parities(const RibbonEquation&, const
// SplitRow<kWideRibbon>&, unsigned first, unsigned second)`: the parities of four columns from `first` on in its lowest
// four bits, and of four columns from `second` on in the next four. Defines columns_of().

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
