// The queries of a map. Each instruction set's file includes this one, so that the compiler can inline columns_of().
//
// The including file must define, inside the same anonymous namespace of crivo: the macro CRIVO_TARGET, and
// `std::uint64_t columns_of(const RibbonEquation&)`. It must include <algorithm>, kinds/probe_key.h,
// kinds/ribbon/kernels.h and kinds/ribbon/layout.h. Defines kMapProbe, a Probe (crivo/detail/view.h).

/// Splits the columns into the value and the check bits. Returns whether the check bits are those of the key.
CRIVO_TARGET inline bool split(const View& view, std::uint64_t hash, std::uint64_t columns,
                               std::uint64_t& value) noexcept {
  const unsigned value_bits = view.shape.param;
  const std::uint64_t checks = (std::uint64_t{1} << (view.shape.k - value_bits)) - 1;
  value = columns & ((std::uint64_t{1} << value_bits) - 1);
  return ((columns >> value_bits ^ ribbon_fingerprint(hash)) & checks) == 0;
}

/// Queries all levels. Rarely needed (query.inl.h).
[[gnu::noinline]] CRIVO_TARGET inline bool find_any_level(const View& view, std::uint64_t hash,
                                                          std::uint64_t& value) noexcept {
  value = 0;
  if (ribbon_is_empty(view)) return false;
  return split(view, hash, columns_of(find_ribbon_equation(as_ribbon(view), kWideRibbon, hash)), value);
}

CRIVO_TARGET inline bool find(const View& view, std::uint64_t hash, std::uint64_t& value) noexcept {
  if (!is_prepared_ribbon(view)) return find_any_level(view, hash, value);
  const RibbonAccess first = prepared_ribbon(view, kWideRibbon);
  const std::uint64_t start = first.start_of(hash);
  if (first.bumped(start)) [[unlikely]]
    return find_any_level(view, hash, value);
  return split(view, hash, columns_of(first.equation(start, hash, hash)), value);
}

CRIVO_TARGET inline bool map_contains(const View& view, std::uint64_t hash) noexcept {
  std::uint64_t value;
  return find(view, hash, value);
}

CRIVO_TARGET inline RibbonEquation map_equation(const View& view, std::uint64_t hash) noexcept {
  if (is_prepared_ribbon(view)) [[likely]] {
    const RibbonAccess first = prepared_ribbon(view, kWideRibbon);
    const std::uint64_t start = first.start_of(hash);
    if (!first.bumped(start)) return first.equation(start, hash, hash);
  }
  return find_ribbon_equation(as_ribbon(view), kWideRibbon, hash);
}

/// In a large payload, prefetches the cache lines of a batch before it looks up the first key.
CRIVO_TARGET inline void find_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                    std::uint64_t* values, bool* hits) noexcept {
  if (ribbon_is_empty(view)) {
    std::fill_n(values, count, 0);
    return void(std::fill_n(hits, count, false));
  }
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
    for (std::size_t i = 0; i < size; ++i)
      hits[from + i] = split(view, hashes[from + i], columns_of(equations[i]), values[from + i]);
  }
}

CRIVO_TARGET inline void map_contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                            bool* hits) noexcept {
  std::uint64_t values[kRibbonBatch];
  for (std::size_t from = 0; from < count; from += kRibbonBatch)
    find_batch(view, hashes + from, std::min(count - from, kRibbonBatch), values, hits + from);
}

inline constexpr Probe kMapProbe = kFindProbeOf<&map_contains, &map_contains_batch, &find, &find_batch>;
