// The queries of a range filter: whether there is a code in an interval. Each instruction set's file includes this one,
// so that bits are counted with the set's instructions.
//
// The including file must define, inside the same anonymous namespace of crivo: the macro CRIVO_TARGET, and
// `std::uint64_t select_bit(std::uint64_t word, std::uint64_t rank)`, the index of the set bit of this rank (from 0) in
// a word of more than `rank` set bits. It must include <algorithm>, crivo/ordered.h, kinds/range/layout.h and
// kinds/range/kernels.h. Defines answer_range() and kRangeProbe.
//
// Opening the payload validated only its first two words, its length and its padding. Whatever the other words contain,
// each loop must end, and nothing outside the payload may be read.

#define CRIVO_INLINE CRIVO_TARGET __attribute__((always_inline)) inline
#define CRIVO_NOINLINE CRIVO_TARGET __attribute__((noinline))

/// A payload and its parts. `Words` reads the payload: `std::uint64_t operator()(std::uint64_t word)`, `std::uint64_t
/// bits_from(std::uint64_t bit)` for the 57 bits from this bit on, and `void prefetch(std::uint64_t word)` for a word
/// that may be read soon.
///
/// The common path has no unpredictable branch, because a mispredicted branch takes longer than the code that it skips.
/// Rare cases are in functions of their own, which frees registers for the common path.
template <class Words>
struct RangeCodes {
  Words words;
  std::uint64_t codes;
  std::uint64_t directory;
  std::uint64_t upper;
  std::uint64_t end;
  std::uint64_t blocks_per_bucket;  // times 2^64
  unsigned low_bits;

  CRIVO_TARGET RangeCodes(const View& view, Words reader) noexcept
      : words(reader), codes(range_codes(view)), end(view.shape.units), low_bits(view.shape.k) {
    const auto& prepared = prepared_of<RangePrepared>(view);
    directory = prepared.directory;
    upper = prepared.upper;
    blocks_per_bucket = prepared.blocks_per_bucket;
  }

  /// The last block of `upper` with fewer than `zeros` (>= 1) zeros before it. Searches from the nearby block `low` by
  /// growing steps, then by bisection.
  [[nodiscard]] CRIVO_INLINE static std::uint64_t block_near(Words words, std::uint64_t directory, std::uint64_t blocks,
                                                             std::uint64_t zeros, std::uint64_t low) noexcept {
    std::uint64_t high = low + 1;
    for (std::uint64_t step = 1; low > 0 && words(directory + low) >= zeros; step *= 2) {
      high = low;
      low -= std::min(low, step);
    }
    for (std::uint64_t step = 1; high < blocks && words(directory + high) < zeros; step *= 2) {
      low = high;
      high = std::min(blocks, high + step);
    }
    for (std::uint64_t size = high - low; size > 1;) {
      const std::uint64_t half = size / 2;
      const std::uint64_t beyond = std::uint64_t{0} - (words(directory + low + half) < zeros);
      low += half & beyond;
      size -= half;
    }
    return low;
  }
  /// The same, even if `guess` is far from the block. If codes are spread almost evenly, the block is near `guess`.
  /// Otherwise, the search starts at an interpolation between the first possible block (if all codes follow it) and the
  /// last possible block (if all codes precede it). The interpolation is close for consecutive numbers, whose codes
  /// fill all buckets of an interval.
  [[nodiscard]] CRIVO_NOINLINE static std::uint64_t search_block(Words words, std::uint64_t directory,
                                                                 std::uint64_t blocks, std::uint64_t zeros,
                                                                 std::uint64_t guess, std::uint64_t codes) noexcept {
    constexpr std::uint64_t kNear = 8;
    const bool is_behind = words(directory + guess) < zeros;
    const std::uint64_t beyond = is_behind ? std::min(guess + kNear, blocks - 1) : guess - std::min(guess, kNear);
    if ((words(directory + beyond) < zeros) != is_behind) return block_near(words, directory, blocks, zeros, guess);
    const std::uint64_t last = std::min((zeros - 1 + codes) / kRangeDirectoryBits, blocks - 1);
    const std::uint64_t before_last = words(directory + last);
    const std::uint64_t first = (zeros - 1) / kRangeDirectoryBits;
    if (before_last < zeros || first >= last) return last;  // first >= last only in a forged payload
    const std::uint64_t behind_first = words(directory + first + 1);
    if (behind_first >= zeros) return first;
    const double share = static_cast<double>(zeros - behind_first) / static_cast<double>(before_last - behind_first);
    const double on = share >= 0 && share < 1 ? share * static_cast<double>(last - first - 1) : 0;
    return block_near(words, directory, blocks, zeros, first + 1 + static_cast<std::uint64_t>(on));
  }
  /// The same as block_near(). If codes are spread evenly, `zeros` predicts the block or a neighbour of the block.
  [[nodiscard]] CRIVO_INLINE std::uint64_t block_of(std::uint64_t zeros) const noexcept {
    const std::uint64_t blocks = upper - directory;
    const std::uint64_t guess = std::min(mulhi(zeros, blocks_per_bucket), blocks - 1);
    if (guess > 0 && guess + 2 < blocks) {
      const std::uint64_t first = directory + guess - 1;
      if (words(first) < zeros && words(first + 3) >= zeros) {
        return guess - 1 + (words(first + 1) < zeros) + (words(first + 2) < zeros);
      }
    }
    return search_block(words, directory, blocks, zeros, guess, codes);
  }

  /// Prefetches the lower bits of a bucket's codes while the bucket is located. `rank` is the rank, in its block, of
  /// the zero before the bucket. The number of codes before the bucket is estimated.
  CRIVO_INLINE void prefetch_lows(std::uint64_t block, std::uint64_t rank, std::uint64_t bucket) const noexcept {
    const std::uint64_t place = block * kRangeDirectoryBits + mulhi(rank * kRangeDirectoryBits, blocks_per_bucket);
    words.prefetch(kRangeHeaderWords + std::min(place - bucket, codes) * low_bits / 64);
  }

  [[nodiscard]] CRIVO_INLINE std::uint64_t ones_in(std::uint64_t word) const noexcept {
    return static_cast<std::uint64_t>(__builtin_popcountll(words(word)));
  }
  /// Finds the zero of this rank in the 32 words from `word` on. Returns the zero's word, and sets `rank` to the zero's
  /// rank in that word.
  [[nodiscard]] CRIVO_INLINE std::uint64_t word_of_zero(std::uint64_t word, std::uint64_t& rank) const noexcept {
    std::uint64_t one_line = 512;  // the zeros in the first cache line
    for (unsigned i = 0; i < 8; ++i) one_line -= ones_in(word + i);
    std::uint64_t two_lines = one_line + 512;
    for (unsigned i = 8; i < 16; ++i) two_lines -= ones_in(word + i);
    std::uint64_t three_lines = two_lines + 512;
    for (unsigned i = 16; i < 24; ++i) three_lines -= ones_in(word + i);
    std::uint64_t skipped = one_line <= rank ? one_line : 0;
    skipped = two_lines <= rank ? two_lines : skipped;
    skipped = three_lines <= rank ? three_lines : skipped;
    word += 8 * (std::uint64_t{one_line <= rank} + (two_lines <= rank) + (three_lines <= rank));
    rank -= skipped;
    std::uint64_t ones = 0;
    std::uint64_t steps = 0;
    skipped = 0;
    for (unsigned i = 0; i < 7; ++i) {
      ones += ones_in(word + i);
      const std::uint64_t before = 64 * (i + 1) - ones;
      steps += before <= rank;
      skipped = before <= rank ? before : skipped;
    }
    rank -= skipped;
    return word + steps;
  }

  struct Zero {
    std::uint64_t word;
    std::uint64_t bit;
  };
  /// Zero number `zeros` (counted from 1) of `upper`. It must be in this block.
  [[nodiscard]] CRIVO_INLINE Zero last_of(std::uint64_t zeros, std::uint64_t block) const noexcept {
    constexpr std::uint64_t kBlockWords = kRangeDirectoryBits / 64;
    std::uint64_t rank = zeros - 1 - words(directory + block);
    prefetch_lows(block, rank, zeros);
    std::uint64_t word = upper + block * kBlockWords;
    if (word + kBlockWords <= end) {
      word = word_of_zero(word, rank);
    } else {
      for (; word + 1 < end && 64 - ones_in(word) <= rank; ++word) rank -= 64 - ones_in(word);
    }
    if (rank >= 64 - ones_in(word)) return {word, 63};  // only in a forged payload
    return {word, select_bit(~words(word), rank)};
  }

  struct Bucket {  // the number of its first code, and its number of codes
    std::uint64_t begin;
    std::uint64_t count;
  };
  [[nodiscard]] CRIVO_INLINE Bucket bucket(const View& view, std::uint64_t number) const noexcept {
    std::uint64_t begin = 0;
    std::uint64_t zeros = ~words(upper);  // the inverted 64 bits from the bucket's first bit on
    if (number > 0) {
      const Zero before = last_of(number, block_of(number));
      begin = std::min(64 * (before.word - upper) + before.bit + 1 - number, codes);  // exceeds `codes` only if forged
      zeros = ~words(before.word) >> before.bit >> 1 | ~words(std::min(before.word + 1, end - 1)) << (63 - before.bit);
    }
    if (__builtin_expect(zeros != 0, 1)) return {begin, static_cast<std::uint64_t>(__builtin_ctzll(zeros))};
    return {begin, long_count(view, words, number, begin)};
  }
  /// The number of codes of a bucket that has at least 64. The next bucket usually begins in one of the next kWords
  /// words. If this bucket has hundreds of codes, the directory locates the next bucket.
  [[nodiscard]] CRIVO_NOINLINE static std::uint64_t long_count(const View& view, Words words, std::uint64_t number,
                                                               std::uint64_t begin) noexcept {
    constexpr std::uint64_t kWords = 4;
    const RangeCodes codes(view, words);
    const std::uint64_t place = begin + number;
    for (std::uint64_t word = codes.upper + place / 64 + 1; word < codes.end; ++word) {
      if (word > codes.upper + place / 64 + kWords) break;
      if (const std::uint64_t zeros = ~words(word); zeros != 0) {
        const auto bit = static_cast<std::uint64_t>(__builtin_ctzll(zeros));
        return std::min(64 * (word - codes.upper) + bit - number, codes.codes) - begin;
      }
    }
    const std::uint64_t blocks = codes.upper - codes.directory;
    const Zero last = codes.last_of(number + 1, block_near(words, codes.directory, blocks, number + 1,
                                                           std::min(place / kRangeDirectoryBits, blocks - 1)));
    const std::uint64_t next = 64 * (last.word - codes.upper) + last.bit - number;
    return std::max(begin, std::min(next, codes.codes)) - begin;
  }

  [[nodiscard]] CRIVO_INLINE std::uint64_t low_mask() const noexcept { return (std::uint64_t{1} << low_bits) - 1; }
  [[nodiscard]] CRIVO_INLINE std::uint64_t low_of(std::uint64_t number) const noexcept {
    const std::uint64_t bit = number * low_bits;
    const std::uint64_t word = kRangeHeaderWords + bit / 64;
    const unsigned shift = bit % 64;
    return (words(word) >> shift | words(word + 1) << 1 << (63 - shift)) & low_mask();
  }
  /// The number of a bucket's codes whose lower bits are below `low`. If the codes are spread evenly, `low` predicts
  /// this number. The search starts at the prediction, and continues by doubling steps, then by bisection.
  [[nodiscard]] CRIVO_INLINE std::uint64_t count_below(Bucket in, std::uint64_t low) const noexcept {
    if (low_bits == 0 || in.count == 0) return 0;
    const std::uint64_t guess = mulhi(in.count, low << (64 - low_bits));
    std::uint64_t from = 0;
    std::uint64_t to = in.count;
    if (low_of(in.begin + guess) < low) {
      from = guess + 1;
      for (std::uint64_t step = 1; from + step <= to; step *= 2) {
        if (low_of(in.begin + from + step - 1) >= low) {
          to = from + step - 1;
          break;
        }
        from += step;
      }
    } else {
      to = guess;
      for (std::uint64_t step = 1; step <= to; step *= 2) {
        if (low_of(in.begin + to - step) < low) {
          from = to - step + 1;
          break;
        }
        to -= step;
      }
    }
    while (from < to) {
      const std::uint64_t middle = from + (to - from) / 2;
      if (low_of(in.begin + middle) < low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  static constexpr std::uint64_t kFew = 4;
  /// Whether a bucket of at most kFew codes has one whose lower bits are in [first, last]. low_bits must be at most 57.
  [[nodiscard]] CRIVO_INLINE bool any_of_few(Bucket in, std::uint64_t first, std::uint64_t last) const noexcept {
    std::uint64_t bit = 64 * kRangeHeaderWords + in.begin * low_bits;
    unsigned found = 0;
    for (unsigned i = 0; i < kFew; ++i) {
      found |= static_cast<unsigned>((words.bits_from(bit) & low_mask()) - first <= last - first) << i;
      bit += low_bits;
    }
    return (found & ((1U << in.count) - 1)) != 0;
  }
  /// Whether there is a code in [first, last]; `first` is in this bucket.
  [[nodiscard]] CRIVO_NOINLINE static bool search(const View& view, Words words, Bucket at_first, std::uint64_t first,
                                                  std::uint64_t last) noexcept {
    if (at_first.count == 0 && first >> view.shape.k == last >> view.shape.k) return false;
    const RangeCodes codes(view, words);
    at_first.count = std::min(at_first.count, codes.codes - at_first.begin);  // fewer only in a forged payload
    const std::uint64_t last_low = last & codes.low_mask();
    const std::uint64_t below = codes.count_below(at_first, first & codes.low_mask());
    const bool one_bucket = first >> codes.low_bits == last >> codes.low_bits;
    if (below < at_first.count) {
      return !one_bucket || codes.low_of(at_first.begin + below) <= last_low;
    }
    if (one_bucket) return false;
    const Bucket at_last = codes.bucket(view, last >> codes.low_bits);
    if (at_last.begin > at_first.begin + at_first.count) return true;  // a bucket between them has codes
    return at_last.count > 0 && codes.low_of(at_last.begin) <= last_low;
  }

  /// Whether there is a code in [first, last], with first <= last < universe.
  [[nodiscard]] CRIVO_INLINE bool has(const View& view, std::uint64_t first, std::uint64_t last) const noexcept {
    const Bucket at_first = bucket(view, first >> low_bits);
    const bool one_bucket = first >> low_bits == last >> low_bits;
    if (one_bucket && at_first.count <= kFew && at_first.begin + kFew <= codes && low_bits <= 57) {
      return any_of_few(at_first, first & low_mask(), last & low_mask());
    }
    return search(view, words, at_first, first, last);
  }
};

/// answer_range() for numbers with several intervals of codes: a block ends, or codes wrap around at the universe.
template <class Words>
CRIVO_NOINLINE bool has_in_pieces(const View& view, Words words, std::uint64_t low, std::uint64_t steps) noexcept {
  const RangeHash& hash = prepared_of<RangePrepared>(view).hash;
  const RangeCodes<Words> codes(view, words);
  std::uint64_t block = hash.block_of(low);
  std::uint64_t offset = low - block * hash.universe;
  std::uint64_t code = hash.advance(hash.start_of(block), offset);
  for (std::uint64_t left = steps + 1;;) {
    const std::uint64_t count = std::min({left, hash.universe - offset, hash.universe - code});
    if (codes.has(view, code, code + count - 1)) return true;
    left -= count;
    if (left == 0) return false;
    offset += count;
    code = 0;
    if (offset == hash.universe) {
      offset = 0;
      code = hash.start_of(++block);
    }
  }
}

/// Whether there may be a key in [low, high]. The filter must be prepared.
template <class Words>
CRIVO_INLINE bool answer_range(const View& view, Words words, std::uint64_t low, std::uint64_t high) noexcept {
  const RangeHash& hash = prepared_of<RangePrepared>(view).hash;
  if (hash.universe == 0) return false;  // no keys
  const std::uint64_t steps = high - low;
  if (steps >= hash.universe) return true;
  const std::uint64_t block = hash.block_of(low);
  const std::uint64_t offset = low - block * hash.universe;
  const std::uint64_t code = hash.advance(hash.start_of(block), offset);
  if (steps < std::min(hash.universe - offset, hash.universe - code)) {
    return RangeCodes<Words>(view, words).has(view, code, code + steps);
  }
  return has_in_pieces(view, words, low, steps);
}

/// The words of a payload that is already verified.
struct AllWords {
  const std::byte* payload;
  [[nodiscard]] CRIVO_TARGET std::uint64_t operator()(std::uint64_t word) const noexcept {
    return load_le<std::uint64_t>(payload + 8 * word);
  }
  [[nodiscard]] CRIVO_TARGET std::uint64_t bits_from(std::uint64_t bit) const noexcept {
    return load_le<std::uint64_t>(payload + bit / 8) >> bit % 8;
  }
  CRIVO_TARGET void prefetch(std::uint64_t word) const noexcept { __builtin_prefetch(payload + 8 * word); }
};

CRIVO_TARGET inline bool contains_range(const View& view, std::uint64_t low, std::uint64_t high) noexcept {
  return answer_range(view, AllWords{view.payload}, low, high);
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

CRIVO_TARGET inline void contains_keys(const View& view, const std::string_view* keys, std::size_t count,
                                       bool* hits) noexcept {
  for (std::size_t i = 0; i < count; ++i) hits[i] = contains_key(view, keys[i]);
}

inline constexpr Probe kRangeProbe = {&contains, &contains_key, &contains_batch, &contains_keys, &contains_range};

#undef CRIVO_INLINE
#undef CRIVO_NOINLINE
