// The queries of a ribbon in vector code. Each vector instruction set's file includes this one, so that the compiler
// can inline the test of an equation.
//
// The including file must define, inside the same anonymous namespace of crivo: the macro CRIVO_TARGET; `bool
// holds<kWidth>(const RibbonEquation&)` for each ribbon width; kFewColumns; and `bool holds_few<kWidth>(const
// RibbonEquation&)` for equations of at most kFewColumns columns. It must include <algorithm>, <utility>,
// kinds/probe_key.h, kinds/ribbon/kernels.h and kinds/ribbon/layout.h. Defines kRibbonProbe<kWidth>, a Probe
// (crivo/detail/view.h).

/// Queries all levels. Rarely needed: for keys that the first level bumped, and for payloads without a level above the
/// base. Not inlined, so that all other queries need no stack frame.
template <unsigned kWidth>
[[gnu::noinline]] CRIVO_TARGET inline bool contains_any_level(const View& view, std::uint64_t hash) noexcept {
  return !ribbon_is_empty(view) && holds<kWidth>(find_ribbon_equation(view, kWidth, hash));
}

template <unsigned kWidth, bool (*kHolds)(const RibbonEquation&) noexcept>
CRIVO_TARGET inline bool contains_first(const View& view, std::uint64_t hash) noexcept {
  const RibbonAccess first = prepared_ribbon(view, kWidth);
  const std::uint64_t start = first.start_of(hash);
  if (first.bumped(start)) [[unlikely]]
    return contains_any_level<kWidth>(view, hash);
  return kHolds(first.equation(start, hash, hash));
}

template <unsigned kWidth>
[[gnu::noinline]] CRIVO_TARGET inline bool contains_otherwise(const View& view, std::uint64_t hash) noexcept {
  return is_prepared_ribbon(view) ? contains_first<kWidth, holds<kWidth>>(view, hash)
                                  : contains_any_level<kWidth>(view, hash);
}

template <unsigned kWidth>
CRIVO_TARGET inline bool contains(const View& view, std::uint64_t hash) noexcept {
  if (!is_prepared_ribbon(view) || RibbonForm(view.shape).most() > kFewColumns)
    return contains_otherwise<kWidth>(view, hash);
  return contains_first<kWidth, holds_few<kWidth>>(view, hash);
}

/// Prefetches the cache lines of the key's equation.
template <unsigned kWidth>
CRIVO_TARGET inline void prefetch(const RibbonEquation& equation) noexcept {
  constexpr unsigned kLine = 64;
  const unsigned bytes = 2 * equation.columns * (kWidth / 8);
  for (unsigned byte = 0; byte < bytes; byte += kLine) __builtin_prefetch(equation.words + byte);
  __builtin_prefetch(equation.words + bytes - 1);
}

/// A batch of queries, for payloads that fit in a cache. The first level answers for every key, whether or not it
/// bumped the key. Then the bumped keys are queried again in all levels.
template <unsigned kWidth, bool (*kHolds)(const RibbonEquation&) noexcept>
CRIVO_TARGET inline void contains_near(const View& view, const RibbonAccess& first, const std::uint64_t* hashes,
                                       std::size_t count, bool* hits) noexcept {
  std::uint8_t bumped[kRibbonBatch];
  std::size_t bumped_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t start = first.start_of(hashes[i]);
    hits[i] = kHolds(first.equation(start, hashes[i], hashes[i]));
    bumped[bumped_count] = static_cast<std::uint8_t>(i);
    bumped_count += first.bumped(start);
  }
  for (std::size_t i = 0; i < bumped_count; ++i) hits[bumped[i]] = contains_any_level<kWidth>(view, hashes[bumped[i]]);
}

/// Locates the equations of these keys, and prefetches their cache lines. Bumped keys are detected without a branch.
template <unsigned kWidth>
[[gnu::always_inline]] CRIVO_TARGET inline void fetch_equations(const View& view, const RibbonAccess& first,
                                                                const std::uint64_t* hashes, std::size_t count,
                                                                RibbonEquation* equations) noexcept {
  std::uint8_t bumped[kRibbonBatch];
  std::size_t bumped_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t start = first.start_of(hashes[i]);
    equations[i] = first.equation(start, hashes[i], hashes[i]);
    prefetch<kWidth>(equations[i]);
    bumped[bumped_count] = static_cast<std::uint8_t>(i);
    bumped_count += first.bumped(start);
  }
  for (std::size_t i = 0; i < bumped_count; ++i) {
    equations[bumped[i]] = find_ribbon_equation(view, kWidth, hashes[bumped[i]]);
    prefetch<kWidth>(equations[bumped[i]]);
  }
}

/// A batch of queries, for payloads larger than the second-level cache. Prefetches the cache lines of all keys before
/// the first test.
template <unsigned kWidth>
CRIVO_TARGET inline void contains_far(const View& view, const RibbonAccess& first, const std::uint64_t* hashes,
                                      std::size_t count, bool* hits) noexcept {
  RibbonEquation equations[kRibbonBatch];
  fetch_equations<kWidth>(view, first, hashes, count, equations);
  for (std::size_t i = 0; i < count; ++i) hits[i] = holds<kWidth>(equations[i]);
}

/// Several batches of queries, for payloads larger than most caches. Prefetches the next batch before it tests one. For
/// a single batch, or in a cache, this takes 10% longer than contains_far().
template <unsigned kWidth>
CRIVO_TARGET inline void contains_farther(const View& view, const RibbonAccess& first, const std::uint64_t* hashes,
                                          std::size_t count, bool* hits) noexcept {
  RibbonEquation batches[2][kRibbonBatch];
  RibbonEquation* ready = batches[0];
  RibbonEquation* next = batches[1];
  fetch_equations<kWidth>(view, first, hashes, std::min(count, kRibbonBatch), ready);
  for (; count > kRibbonBatch; count -= kRibbonBatch) {
    hashes += kRibbonBatch;
    fetch_equations<kWidth>(view, first, hashes, std::min(count - kRibbonBatch, kRibbonBatch), next);
    for (std::size_t i = 0; i < kRibbonBatch; ++i) *hits++ = holds<kWidth>(ready[i]);
    std::swap(ready, next);
  }
  for (std::size_t i = 0; i < count; ++i) *hits++ = holds<kWidth>(ready[i]);
}

template <unsigned kWidth>
CRIVO_TARGET inline void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                        bool* hits) noexcept {
  if (!is_prepared_ribbon(view)) {
    for (std::size_t i = 0; i < count; ++i) hits[i] = contains_any_level<kWidth>(view, hashes[i]);
    return;
  }
  const View local = view;
  const RibbonAccess first = prepared_ribbon(local, kWidth);
  if (count > kRibbonBatch && local.payload_bytes >= kRibbonFartherBytes) {
    return contains_farther<kWidth>(local, first, hashes, count, hits);
  }
  const bool far = local.payload_bytes >= kRibbonFarBytes;
  const bool few = RibbonForm(local.shape).most() <= kFewColumns;
  for (std::size_t from = 0; from < count; from += kRibbonBatch) {
    const std::size_t size = std::min(count - from, kRibbonBatch);
    if (far) {
      contains_far<kWidth>(local, first, hashes + from, size, hits + from);
    } else if (few) {
      contains_near<kWidth, holds_few<kWidth>>(local, first, hashes + from, size, hits + from);
    } else {
      contains_near<kWidth, holds<kWidth>>(local, first, hashes + from, size, hits + from);
    }
  }
}

/// probe_key() of probe_key.h, compiled for this instruction set; otherwise, contains() would not be inlined.
template <unsigned kWidth>
CRIVO_TARGET inline bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return probe_long_key<&contains<kWidth>>(view, key);
  return contains<kWidth>(view, hash_short_key(key, view.shape.seed));
}

template <unsigned kWidth>
inline constexpr Probe kRibbonProbe = {&contains<kWidth>, &contains_key<kWidth>, &contains_batch<kWidth>,
                                       &contains_keys<&contains_batch<kWidth>>};
