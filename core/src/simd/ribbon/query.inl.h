// The ribbon queries around one instruction set's test of an equation: included, inside an anonymous namespace, by
// files that define CRIVO_TARGET, `holds` of an equation, and `holds_few` of one of at most kFewColumns. Only so does
// the test inline.

/// For what is seldom asked: a bumped key, or a payload that is all base. Not inlined, so that the others need no
/// frame.
[[gnu::noinline]] CRIVO_TARGET bool contains_any_level(const View& view, std::uint64_t hash) noexcept {
  return !ribbon_is_empty(view) && holds(find_ribbon_equation(view, hash));
}

template <bool (*kHolds)(const RibbonEquation&) noexcept>
CRIVO_TARGET inline bool contains_first(const View& view, std::uint64_t hash) noexcept {
  const RibbonAccess first = prepared_ribbon(view);
  const std::uint64_t start = first.start_of(hash);
  if (first.bumped(start)) [[unlikely]]
    return contains_any_level(view, hash);
  return kHolds(first.equation(start, hash, hash));
}

[[gnu::noinline]] CRIVO_TARGET bool contains_otherwise(const View& view, std::uint64_t hash) noexcept {
  return view.prepared[0] == 0 ? contains_any_level(view, hash) : contains_first<holds>(view, hash);
}

CRIVO_TARGET inline bool contains(const View& view, std::uint64_t hash) noexcept {
  if (view.prepared[0] == 0 || RibbonColumns(view.shape).most() > kFewColumns) return contains_otherwise(view, hash);
  return contains_first<holds_few>(view, hash);
}

/// Fetches the lines of the key's equation, from its start's block on.
CRIVO_TARGET inline void prefetch(const RibbonEquation& equation) noexcept {
  constexpr unsigned kLineWords = 8;
  for (unsigned word = 0; word < 2 * equation.columns; word += kLineWords)
    __builtin_prefetch(equation.words + 8 * word);
  __builtin_prefetch(equation.words + 8 * (2 * equation.columns) - 1);
}

/// For payloads in cache: the first level answers for every key without a branch, and what it bumped is asked again, of
/// the levels below.
template <bool (*kHolds)(const RibbonEquation&) noexcept>
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
  for (std::size_t i = 0; i < bumped_count; ++i) hits[bumped[i]] = contains_any_level(view, hashes[bumped[i]]);
}

/// For payloads that no cache holds: the lines of all keys are on their way before the first is looked at. What the
/// first level bumped is found out without a branch here, too.
CRIVO_TARGET inline void contains_far(const View& view, const RibbonAccess& first, const std::uint64_t* hashes,
                                      std::size_t count, bool* hits) noexcept {
  RibbonEquation equations[kRibbonBatch];
  std::uint8_t bumped[kRibbonBatch];
  std::size_t bumped_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t start = first.start_of(hashes[i]);
    equations[i] = first.equation(start, hashes[i], hashes[i]);
    prefetch(equations[i]);
    bumped[bumped_count] = static_cast<std::uint8_t>(i);
    bumped_count += first.bumped(start);
  }
  for (std::size_t i = 0; i < bumped_count; ++i) {
    equations[bumped[i]] = find_ribbon_equation(view, hashes[bumped[i]]);
    prefetch(equations[bumped[i]]);
  }
  for (std::size_t i = 0; i < count; ++i) hits[i] = holds(equations[i]);
}

CRIVO_TARGET inline void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                        bool* hits) noexcept {
  if (view.prepared[0] == 0) {
    for (std::size_t i = 0; i < count; ++i) hits[i] = contains_any_level(view, hashes[i]);
    return;
  }
  const View local = view;
  const RibbonAccess first = prepared_ribbon(local);
  const bool far = local.payload_bytes >= kRibbonFarBytes;
  const bool few = RibbonColumns(local.shape).most() <= kFewColumns;
  for (std::size_t from = 0; from < count; from += kRibbonBatch) {
    const std::size_t some = std::min(count - from, kRibbonBatch);
    if (far) {
      contains_far(local, first, hashes + from, some, hits + from);
    } else if (few) {
      contains_near<holds_few>(local, first, hashes + from, some, hits + from);
    } else {
      contains_near<holds>(local, first, hashes + from, some, hits + from);
    }
  }
}

CRIVO_TARGET bool contains_hash(const View& view, std::uint64_t hash) noexcept { return contains(view, hash); }

CRIVO_TARGET bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<&contains_hash>(view, key);
  return contains(view, hash_short_key(key, view.shape.seed));
}
