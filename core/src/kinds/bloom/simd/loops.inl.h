// The queries and additions of the blocked and counting kinds. Each instruction set's file includes this one, so that
// the compiler can inline the test of a block. A block has one plane (blocked) or four (counting). A query tests the OR
// of the planes, because a counter is above 0 if any of its bits is set.
//
// The including file must define, inside the same anonymous namespace of crivo:
//   CRIVO_TARGET                 the macro of the instruction set, from kinds/isa.h;
//   template <std::size_t kPlanes, bool kFew>
//   bool has_bits(const std::byte* block, const BlockKey&, unsigned probes)
//                                whether the OR of the planes has all bits of a key; kFew for up to kFewProbes probes;
// It must include kinds/bloom/block.h, kinds/bloom/counter_block.h and kinds/probe_key.h. Defines kProbe and
// add_hashes(), whose argument `void set_bits(std::byte* block, const BlockKey&, unsigned probes)` sets all bits of a
// key.

template <std::size_t kPlanes, bool kFew>
CRIVO_TARGET inline bool contains_block_key(const View& view, const BlockKey& key) noexcept {
  return has_bits<kPlanes, kFew>(view.payload + key.block * (kPlanes * kBlockBytes), key, view.shape.k);
}

template <std::size_t kPlanes, bool kFew>
CRIVO_TARGET inline bool contains_inline(const View& view, std::uint64_t hash) noexcept {
  return contains_block_key<kPlanes, kFew>(view, BlockKey(hash, view.shape.units));
}

template <std::size_t kPlanes>
CRIVO_TARGET inline bool contains_either(const View& view, std::uint64_t hash) noexcept {
  return view.shape.k <= kFewProbes ? contains_inline<kPlanes, true>(view, hash)
                                    : contains_inline<kPlanes, false>(view, hash);
}

template <std::size_t kPlanes>
CRIVO_TARGET bool contains(const View& view, std::uint64_t hash) noexcept {
  return contains_either<kPlanes>(view, hash);
}

template <std::size_t kPlanes>
CRIVO_TARGET bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return probe_long_key<&contains<kPlanes>>(view, key);
  return contains_either<kPlanes>(view, hash_short_key(key, view.shape.seed));
}

/// Queries hashes, or keys by their hashes. Blocks are prefetched up to kAhead elements before they are tested.
template <std::size_t kPlanes, bool kFew, class Given>
CRIVO_TARGET inline void batch_inline(const View& view, const Given* given, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  const View local = view;
  BlockKey keys[kAhead];
  const auto fetch = [&](std::size_t i) CRIVO_TARGET {
    BlockKey& key = keys[i % kAhead];
    key = BlockKey(hash_of(given[i], local.shape.seed), local.shape.units);
    prefetch_block<kPlanes>(local.payload, key.block);
  };
  const auto test = [&](std::size_t i)
                        CRIVO_TARGET { hits[i] = contains_block_key<kPlanes, kFew>(local, keys[i % kAhead]); };
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) fetch(i);
  std::size_t next = 0;
  for (; next + kAhead < count; ++next) {
    test(next);
    fetch(next + kAhead);
  }
  for (; next < count; ++next) test(next);
}

template <std::size_t kPlanes, class Given>
CRIVO_TARGET void contains_batch(const View& view, const Given* given, std::size_t count, bool* hits) noexcept {
  if (view.shape.k <= kFewProbes) {
    batch_inline<kPlanes, true>(view, given, count, hits);
  } else {
    batch_inline<kPlanes, false>(view, given, count, hits);
  }
}

template <std::size_t kPlanes>
constexpr Probe kProbe = {&contains<kPlanes>, &contains_key<kPlanes>, &contains_batch<kPlanes, std::uint64_t>,
                          &contains_batch<kPlanes, std::string_view>};

/// A BlockedKernels::blocked_add, made from a function that sets the bits of one key.
template <void (*kSetBits)(std::byte*, const BlockKey&, unsigned) noexcept>
CRIVO_TARGET void add_hashes(const Shape& shape, std::byte* payload, const std::uint64_t* hashes,
                             std::size_t count) noexcept {
  constexpr std::size_t kAhead = 16;
  const std::uint64_t blocks = shape.units;
  const unsigned probes = shape.k;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(payload + mulhi(hashes[i + kAhead], blocks) * kBlockBytes, 1);
    const BlockKey key(hashes[i], blocks);
    kSetBits(payload + key.block * kBlockBytes, key, probes);
  }
}
