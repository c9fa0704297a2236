// The questions to a map, around one instruction set's columns_of(). It must have, inside the same anonymous namespace
// of crivo: the macro CRIVO_TARGET, and `std::uint64_t columns_of(const RibbonEquation&)`. It must have included
// <algorithm>, kinds/ribbon/kernels.h and kinds/ribbon/layout.h. It gets: columns_at() and columns_at_batch(), for
// RibbonKernels.

CRIVO_TARGET inline RibbonEquation map_equation(const View& view, std::uint64_t hash) noexcept {
  if (is_prepared_ribbon(view)) [[likely]] {
    const RibbonAccess first = prepared_ribbon(view, kWideRibbon);
    const std::uint64_t start = first.start_of(hash);
    if (!first.bumped(start)) return first.equation(start, hash, hash);
  }
  return find_ribbon_equation(as_ribbon(view), kWideRibbon, hash);
}

CRIVO_TARGET inline std::uint64_t columns_at(const View& view, std::uint64_t hash) noexcept {
  return ribbon_is_empty(view) ? 0 : columns_of(map_equation(view, hash));
}

/// The cache lines of so many keys are on their way before the first is looked at.
CRIVO_TARGET inline void columns_at_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                          std::uint64_t* columns) noexcept {
  if (ribbon_is_empty(view)) return void(std::fill_n(columns, count, 0));
  RibbonEquation equations[kRibbonBatch];
  const bool far = view.payload_bytes >= kRibbonFarBytes;
  for (std::size_t from = 0; from < count; from += kRibbonBatch) {
    const std::size_t size = std::min(count - from, kRibbonBatch);
    for (std::size_t i = 0; i < size; ++i) {
      equations[i] = map_equation(view, hashes[from + i]);
      if (!far) continue;
      for (unsigned byte = 0; byte < 16 * equations[i].columns; byte += 64)
        __builtin_prefetch(equations[i].words + byte);
    }
    for (std::size_t i = 0; i < size; ++i) columns[from + i] = columns_of(equations[i]);
  }
}
