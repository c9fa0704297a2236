// The questions to a range filter, for one instruction set: whether there is a code in an interval. They are included,
// so that the counting of bits is compiled for it.
//
// The including file must have, inside the same anonymous namespace of crivo: the macro CRIVO_TARGET, and
// `std::uint64_t select_bit(std::uint64_t word, std::uint64_t rank)`, the place of the set bit of this rank (from 0) in
// a word that has it. It must have included crivo/ordered.h, layout/range_layout.h and simd/kernels.h. It gets:
// answer_range(), and kRangeProbe.
//
// Nothing of the payload but its first two words was checked when it was opened. So whatever the other words say, each
// loop ends, and nothing outside the payload is read.

/// A payload, and where its parts lie. `Words` reads its words: `std::uint64_t operator()(std::uint64_t word)`, and
/// `void prefetch(std::uint64_t word)` for one that may be read soon.
template <class Words>
struct RangeCodes {
  Words& words;
  RangeLayout layout;
  unsigned low_bits;
  std::uint64_t blocks_per_bucket;  // times 2^64

  CRIVO_TARGET RangeCodes(const View& view, Words& reader) noexcept
      : words(reader),
        layout(view.shape.probes, view.prepared[3], range_codes(view)),
        low_bits(view.shape.probes),
        blocks_per_bucket(view.prepared[4]) {}

  [[nodiscard]] CRIVO_TARGET std::uint64_t zeros_before(std::uint64_t block) const noexcept {
    return words(layout.directory + block);
  }

  /// The block of `upper` that has this zero: by a guess, which is right or near where codes are spread evenly, then by
  /// steps that double, and at last by halving.
  [[nodiscard]] CRIVO_TARGET std::uint64_t block_of_zero(std::uint64_t zero) const noexcept {
    const std::uint64_t blocks = layout.blocks();
    std::uint64_t low = std::min(mulhi(zero, blocks_per_bucket), blocks - 1);
    std::uint64_t high = low + 1;
    for (std::uint64_t step = 1; low > 0 && zeros_before(low) > zero; step *= 2) {
      high = low;
      low -= std::min(low, step);
    }
    for (std::uint64_t step = 1; high < blocks && zeros_before(high) <= zero; step *= 2) {
      low = high;
      high = std::min(blocks, high + step);
    }
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (zeros_before(middle) <= zero ? low : high) = middle;
    }
    return low;
  }

  /// Lets the lower bits of the codes behind a zero be on their way while the zero is looked for. It is that of this
  /// rank in its block; how many codes there are before it is guessed.
  CRIVO_TARGET void prefetch_lows(std::uint64_t block, std::uint64_t rank, std::uint64_t zero) const noexcept {
    const std::uint64_t place = block * kRangeDirectoryBits + mulhi(rank * kRangeDirectoryBits, blocks_per_bucket);
    const std::uint64_t code = place < zero ? 0 : std::min(place - zero, layout.codes);
    words.prefetch(kRangeHeaderWords + code * low_bits / 64);
  }

  [[nodiscard]] CRIVO_TARGET std::uint64_t zeros_in(std::uint64_t word) const noexcept {
    return ~words(layout.upper + word);
  }
  [[nodiscard]] CRIVO_TARGET static std::uint64_t count_ones(std::uint64_t word) noexcept {
    return static_cast<std::uint64_t>(__builtin_popcountll(word));
  }

  /// The first word of the eight, among the 32 of a block, that have the zero of this rank, which then becomes its rank
  /// in these. Counts all, because a branch that nothing predicts would take longer.
  [[nodiscard]] CRIVO_TARGET std::uint64_t line_of_zero(std::uint64_t word, std::uint64_t& rank) const noexcept {
    std::uint64_t before = 0;
    std::uint64_t skipped = 0;
    std::uint64_t lines = 0;
    for (unsigned line = 0; line < 3; ++line) {
      for (unsigned i = 0; i < 8; ++i) before += count_ones(zeros_in(word + 8 * line + i));
      lines += before <= rank;
      skipped = before <= rank ? before : skipped;
    }
    rank -= skipped;
    return word + 8 * lines;
  }

  /// The place of a zero in `upper`.
  [[nodiscard]] CRIVO_TARGET std::uint64_t place_of_zero(std::uint64_t zero) const noexcept {
    constexpr std::uint64_t kBlockWords = kRangeDirectoryBits / 64;
    const std::uint64_t block = block_of_zero(zero);
    std::uint64_t rank = zero - zeros_before(block);
    prefetch_lows(block, rank, zero);
    std::uint64_t word = block * kBlockWords;
    const std::uint64_t end = std::min(word + kBlockWords, layout.words - layout.upper);
    if (word + kBlockWords == end) word = line_of_zero(word, rank);
    for (; word < end; ++word) {
      const std::uint64_t zeros = zeros_in(word);
      const std::uint64_t count = count_ones(zeros);
      if (rank < count) return std::min(64 * word + select_bit(zeros, rank), layout.bits);
      rank -= count;
    }
    return layout.bits;  // only in a forged payload
  }

  struct Bucket {  // the numbers of its codes, in their order, from begin up to but not including end
    std::uint64_t begin;
    std::uint64_t end;
  };
  /// The number of codes up to the bucket whose zero is at this place.
  [[nodiscard]] CRIVO_TARGET std::uint64_t codes_until(std::uint64_t place, std::uint64_t bucket) const noexcept {
    return place < bucket ? 0 : std::min(place - bucket, layout.codes);
  }
  [[nodiscard]] CRIVO_TARGET Bucket bucket(std::uint64_t number) const noexcept {
    const std::uint64_t place = number == 0 ? 0 : place_of_zero(number - 1) + 1;
    const std::uint64_t begin = codes_until(place, number);
    if (place >= layout.bits) return {begin, begin};  // only in a forged payload
    const std::uint64_t zeros = ~words(layout.upper + place / 64) >> place % 64;
    const std::uint64_t end =
        codes_until(zeros != 0 ? place + static_cast<unsigned>(__builtin_ctzll(zeros)) : place_of_zero(number), number);
    return {begin, std::max(begin, end)};
  }

  [[nodiscard]] CRIVO_TARGET std::uint64_t low_of(std::uint64_t number) const noexcept {
    const std::uint64_t bit = number * low_bits;
    const std::uint64_t word = kRangeHeaderWords + bit / 64;
    const unsigned shift = bit % 64;
    std::uint64_t low = words(word) >> shift;
    if (shift + low_bits > 64) low |= words(word + 1) << (64 - shift);
    return low & ((std::uint64_t{1} << low_bits) - 1);
  }
  /// The number of the bucket's first code whose lower bits are at least `low`; its end if there is none.
  [[nodiscard]] CRIVO_TARGET std::uint64_t first_from(Bucket in, std::uint64_t low) const noexcept {
    if (low_bits == 0) return in.begin;
    while (in.begin < in.end) {
      const std::uint64_t middle = in.begin + (in.end - in.begin) / 2;
      if (low_of(middle) < low) {
        in.begin = middle + 1;
      } else {
        in.end = middle;
      }
    }
    return in.begin;
  }

  static constexpr std::uint64_t kFew = 8;
  /// Whether a bucket of few codes has one with these lower bits. Looks at all, as line_of_zero does.
  [[nodiscard]] CRIVO_TARGET bool any_of(Bucket in, std::uint64_t first, std::uint64_t last) const noexcept {
    if (low_bits == 0) return in.begin < in.end;
    bool any = false;
    for (; in.begin < in.end; ++in.begin) any |= low_of(in.begin) - first <= last - first;
    return any;
  }

  /// Whether there is a code from `first` to `last`, both included: first <= last < universe.
  [[nodiscard]] CRIVO_TARGET bool has(std::uint64_t first, std::uint64_t last) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << low_bits) - 1;
    const std::uint64_t first_bucket = first >> low_bits;
    const std::uint64_t last_bucket = last >> low_bits;
    const Bucket at_first = bucket(first_bucket);
    if (first_bucket == last_bucket && at_first.end - at_first.begin <= kFew) {
      return any_of(at_first, first & mask, last & mask);
    }
    const std::uint64_t found = first_from(at_first, first & mask);
    if (first_bucket == last_bucket) return found < at_first.end && (low_bits == 0 || low_of(found) <= (last & mask));
    if (found < at_first.end) return true;
    const Bucket at_last = bucket(last_bucket);
    if (at_last.begin > at_first.end) return true;  // a bucket between the two has codes
    return at_last.begin < at_last.end && (low_bits == 0 || low_of(at_last.begin) <= (last & mask));
  }
};

/// Whether there is a code among the `count` codes from `first` on, which go on at 0 behind the last of the universe.
template <class Words>
CRIVO_TARGET inline bool has_from(const RangeCodes<Words>& codes, std::uint64_t universe, std::uint64_t first,
                                  std::uint64_t count) noexcept {
  if (count <= universe - first) return codes.has(first, first + count - 1);
  return codes.has(first, universe - 1) || codes.has(0, count - (universe - first) - 1);
}

/// Whether there may be a number from `low` to `high`, both included, in a filter that was prepared.
template <class Words>
CRIVO_TARGET inline bool answer_range(const View& view, Words& words, std::uint64_t low, std::uint64_t high) noexcept {
  const RangeHash hash(view);
  if (hash.universe == 0) return false;  // no keys
  const std::uint64_t steps = high - low;
  if (steps >= hash.universe) return true;
  const RangeCodes<Words> codes(view, words);
  const std::uint64_t block = low / hash.universe;
  const std::uint64_t offset = low - block * hash.universe;
  const std::uint64_t left = hash.universe - offset;  // numbers from `low` on in its block
  const std::uint64_t first = hash.advance(hash.start_of(block), offset);
  if (steps < left) return has_from(codes, hash.universe, first, steps + 1);
  return has_from(codes, hash.universe, first, left) ||
         has_from(codes, hash.universe, hash.start_of(block + 1), steps + 1 - left);
}

/// The words of a payload that may be read as they are.
struct AllWords {
  const std::byte* payload;
  [[nodiscard]] CRIVO_TARGET std::uint64_t operator()(std::uint64_t word) const noexcept {
    return load_le<std::uint64_t>(payload + 8 * word);
  }
  CRIVO_TARGET void prefetch(std::uint64_t word) const noexcept { __builtin_prefetch(payload + 8 * word); }
};

CRIVO_TARGET inline bool contains_range(const View& view, std::uint64_t low, std::uint64_t high) noexcept {
  const AllWords words{view.payload};
  return answer_range(view, words, low, high);
}

CRIVO_TARGET inline bool contains(const View& view, std::uint64_t number) noexcept {
  return contains_range(view, number, number);
}

CRIVO_TARGET inline bool contains_key(const View& view, std::string_view key) noexcept {
  return contains(view, ordered(key));
}

CRIVO_TARGET inline void contains_batch(const View& view, const std::uint64_t* numbers, std::size_t count,
                                        bool* hits) noexcept {
  for (std::size_t i = 0; i < count; ++i) hits[i] = contains(view, numbers[i]);
}

inline constexpr Probe kRangeProbe = {&contains, &contains_key, &contains_batch, &contains_range};
