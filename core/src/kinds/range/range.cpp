// A range filter answers whether a key may lie in a range of numbers. Its rate holds for any keys and queries that are
// chosen without knowing the seed. The filter is built once from all its keys; the "hash" of a key is the number
// itself. layout.h explains the layout.
// Paper: Costa, Ferragina & Vinciguerra 2024, "Grafite: Taming Adversarial Queries with Optimal Range Filters".
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "build/hash_collector.h"
#include "crivo/host/bytes.h"
#include "kinds/checks.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"
#include "kinds/range/sizes.h"

namespace crivo {
namespace {

/// Whether the bits of a word from `used` on are 0. used = 0 means that the whole word is used.
bool has_zero_padding(const std::byte* word, unsigned used) noexcept {
  return used == 0 || load_le<std::uint64_t>(word) >> used == 0;
}

/// Calls use(code) for each code in ascending order. In a forged payload, the codes may be unordered, and their number
/// may differ from the stated one.
template <class Use>
void for_each_code(const View& view, const Use& use) {
  const RangeLayout layout = range_layout(view);
  const unsigned low_bits = view.shape.k;
  const auto word_at = [&view](std::uint64_t word) { return load_le<std::uint64_t>(view.payload + 8 * word); };
  std::uint64_t number = 0;
  for (std::uint64_t word = 0; word < layout.words - layout.upper; ++word) {
    for (std::uint64_t ones = word_at(layout.upper + word); ones != 0 && number < layout.codes; ones &= ones - 1) {
      const std::uint64_t bucket = 64 * word + static_cast<unsigned>(std::countr_zero(ones)) - number;
      const std::uint64_t bit = number * low_bits;
      std::uint64_t low = word_at(kRangeHeaderWords + bit / 64) >> bit % 64;
      if (bit % 64 + low_bits > 64) low |= word_at(kRangeHeaderWords + bit / 64 + 1) << (64 - bit % 64);
      use(bucket << low_bits | (low & ((std::uint64_t{1} << low_bits) - 1)));
      ++number;
    }
  }
}

/// The rate of queries of this length far from the keys: the share of start numbers whose range contains a code. It may
/// be below range_fp_rate(), which counts a start once for each code in its range.
double share_of_starts(const View& view, std::uint64_t length) {
  const std::uint64_t universe = RangeScale(view.shape).universe(range_keys(view));
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double starts = 0;
  bool any = false;
  for_each_code(view, [&](std::uint64_t code) {
    if (any) {
      starts += static_cast<double>(std::min(code > last ? code - last : 0, length));
    } else {
      first = code;
    }
    any = true;
    last = code;
  });
  const std::uint64_t around = first + universe - std::min(last, universe);
  if (any) starts += static_cast<double>(std::min(around, length));
  return std::min(1.0, starts / static_cast<double>(universe));
}

// The approximate progress at the end of each pass.
constexpr double kCodesMade = 0.5;
constexpr double kCodesWritten = 0.95;

/// The codes of the numbers in ascending order, shifted left by `scale`. The shift makes bit 63 their highest bit,
/// because sorting is then fastest.
Result<std::unique_ptr<HashSource>> make_codes(const RangeHash& hash, int scale, std::unique_ptr<HashSource> numbers,
                                               BuildTask& task) {
  const auto all = static_cast<double>(numbers->size());
  HashCollector codes(numbers->size(), task);
  std::vector<std::uint64_t> part;
  double done = 0;
  for (;;) {
    const auto taken = numbers->take_highest();
    if (!taken) return taken.error();
    if (taken->empty()) break;
    constexpr std::size_t kAtOnce = 4096;  // limits the size of `part`
    for (auto left = *taken; !left.empty(); left = left.subspan(part.size())) {
      part.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(std::min(kAtOnce, left.size())));
      for (std::uint64_t& number : part) {
        const std::uint64_t block = hash.block_of(number);
        number = hash.advance(hash.start_of(block), number - block * hash.universe) << scale;
      }
      if (auto added = codes.add(part); !added) return added.error();
    }
    done += static_cast<double>(taken->size());
    if (auto wanted = task.advance(kSortShare + (kCodesMade - kSortShare) * done / all); !wanted) return wanted.error();
  }
  numbers.reset();
  return std::move(codes).sorted_distinct();
}

void set_bit(std::byte* words, std::uint64_t bit) noexcept { words[bit / 8] |= static_cast<std::byte>(1U << bit % 8); }

/// Writes the lower bits of a code. The destination bits must be 0.
void store_low(std::byte* words, std::uint64_t number, unsigned low_bits, std::uint64_t low) noexcept {
  const std::uint64_t bit = number * low_bits;
  std::byte* at = words + bit / 64 * 8;
  const auto shift = static_cast<unsigned>(bit % 64);
  store_le(at, load_le<std::uint64_t>(at) | low << shift);
  if (shift + low_bits > 64) store_le(at + 8, load_le<std::uint64_t>(at + 8) | low >> (64 - shift));
}

Result<void> write_codes(const RangeLayout& layout, unsigned low_bits, int scale, HashSource& codes, std::byte* payload,
                         BuildTask& task) {
  std::byte* const lows = payload + 8 * kRangeHeaderWords;
  std::byte* const upper = payload + 8 * layout.upper;
  const std::uint64_t mask = (std::uint64_t{1} << low_bits) - 1;
  for (std::uint64_t number = layout.codes; number > 0;) {
    const auto taken = codes.take_highest();
    if (!taken) return taken.error();
    if (taken->empty()) break;
    for (std::size_t i = taken->size(); i-- > 0;) {
      const std::uint64_t code = (*taken)[i] >> scale;
      --number;
      if (low_bits != 0) store_low(lows, number, low_bits, code & mask);
      set_bit(upper, number + (code >> low_bits));
    }
    const double left = static_cast<double>(number) / static_cast<double>(layout.codes);
    if (auto wanted = task.advance(kCodesWritten - (kCodesWritten - kCodesMade) * left); !wanted) return wanted;
  }
  return {};
}

void write_directory(const RangeLayout& layout, std::byte* payload) noexcept {
  constexpr std::uint64_t kBlockWords = kRangeDirectoryBits / 64;
  std::uint64_t zeros = 0;
  for (std::uint64_t word = 0; word < layout.words - layout.upper; ++word) {
    if (word % kBlockWords == 0) store_le(payload + 8 * (layout.directory + word / kBlockWords), zeros);
    const auto ones = load_le<std::uint64_t>(payload + 8 * (layout.upper + word));
    zeros += static_cast<std::uint64_t>(64 - std::popcount(ones));
  }
}

/// Builds the payload for at least one number, in two passes. The first maps numbers to codes, which are sorted; the
/// second writes the codes in descending order. Frees the numbers after the first pass. The same numbers give the same
/// bytes. Errors: kTooLarge, before a payload above max_bytes is allocated; kCancelled; those of the source.
Result<AlignedBytes> build_range(const Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                 BuildTask& task) {
  const std::uint64_t keys = numbers->size();
  const std::uint64_t universe = RangeScale(shape).universe(keys);
  const std::uint64_t planned = 8 * RangeLayout(shape.k, universe, keys).words;
  if (planned > max_bytes) return keys_too_large(max_bytes, keys, planned);
  const int scale = std::countl_zero((universe - 1) | 1);
  const auto codes = make_codes(RangeHash(shape.seed, universe), scale, std::move(numbers), task);
  if (!codes) return codes.error();
  const RangeLayout layout(shape.k, universe, (*codes)->size());
  AlignedBytes payload(static_cast<std::size_t>(8 * layout.words), task.payload_memory());
  store_le(payload.data(), keys);
  store_le(payload.data() + 8, layout.codes);
  if (auto written = write_codes(layout, shape.k, scale, **codes, payload.data(), task); !written) {
    return written.error();
  }
  write_directory(layout, payload.data());
  return payload;
}

struct Range {
  static constexpr Kind kKind = Kind::kRange;
  static constexpr std::string_view kName = "range";
  static constexpr std::string_view kOption = "range length for which the rate holds: a power of two, by default 1";
  static constexpr const char* kUnitName = "number of words";
  static constexpr HashId kHashId = HashId::kOrdered;

  static bool set_option(FilterSpec& spec, std::string_view text) {
    return read_option(spec.range_length, FilterSpec().range_length, text);
  }
  static std::string option_text(const FilterSpec& spec) { return std::to_string(spec.range_length); }
  static unsigned option_of(const Shape& shape) noexcept { return 1U << RangeScale(shape).length_bits; }

  static Result<Shape> plan(const FilterSpec& spec) {
    const unsigned length = spec.range_length;
    if (!std::has_single_bit(length)) {
      return bad_argument("range length must be a power of two in [1, ", std::uint64_t{1} << kMaxRangeLengthBits,
                          "], got ", length);
    }
    const auto length_bits = static_cast<unsigned>(std::countr_zero(length));
    const Result<RangeScale> scale = spec.bits_per_key ? fit_range(spec.capacity, *spec.bits_per_key, length_bits)
                                                       : size_range(spec.capacity, spec.fp_rate, length_bits);
    if (!scale) return scale.error();
    return Shape{.kind = kKind,
                 .hash_id = kHashId,
                 .k = static_cast<std::uint8_t>(scale->low_bits),
                 .param = scale->param(),
                 .units = RangeLayout(scale->low_bits, scale->universe(spec.capacity), spec.capacity).words,
                 .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.k > kMaxRangeLowBits) {
      return corrupt("k must be at most ", kMaxRangeLowBits, ", got ", unsigned{shape.k});
    }
    if (shape.units < kRangeHeaderWords || shape.units > kMaxRangeWords) {
      return corrupt("number of words must be in [", kRangeHeaderWords, ", ", kMaxRangeWords, "], got ", shape.units);
    }
    return shape.units * 8;
  }

  static Result<void> validate(const View& view) {
    const std::uint64_t keys = range_keys(view);
    const std::uint64_t codes = range_codes(view);
    if (keys == 0) {
      if (count_bits({view.payload, view.payload_bytes}) == 0) return {};
      return corrupt("payload without keys must be all zeros, got nonzero words");
    }
    if (keys > kMaxCapacity) return corrupt("distinct keys must be at most ", kMaxCapacity, ", got ", keys);
    if (codes < 1 || codes > keys) return corrupt("codes must be in [1, ", keys, "], got ", codes);
    const RangeLayout layout = range_layout(view);
    if (layout.words != view.shape.units) {
      return corrupt("number of words must be ", layout.words, " for ", codes, " codes of ", keys, " keys, got ",
                     view.shape.units);
    }
    const auto used = [](std::uint64_t bits) { return static_cast<unsigned>(bits % 64); };
    if (!has_zero_padding(view.payload + 8 * (layout.directory - 1), used(codes * view.shape.k)) ||
        !has_zero_padding(view.payload + 8 * (layout.words - 1), used(layout.bits))) {
      return corrupt("padding bits of the payload must be 0");
    }
    return {};
  }

  static bool admit_open(const View& view, ByteGate& gate) {
    if (!gate.freeze(0, 8 * kRangeHeaderWords)) return false;
    const std::uint64_t keys = range_keys(view);
    if (keys == 0) return gate.admit(0, view.payload_bytes);
    if (keys > kMaxCapacity || range_codes(view) < 1 || range_codes(view) > keys) return true;  // validate() fails
    const RangeLayout layout = range_layout(view);
    if (layout.words != view.shape.units) return true;
    return gate.admit(8 * (layout.directory - 1), 8) && gate.admit(8 * (layout.words - 1), 8);
  }

  static bool admit_query(const View& view, std::uint64_t number, ByteGate& gate) {
    return admit_range_query(view, number, number, gate);
  }

  static bool admit_range(const View& view, std::uint64_t low, std::uint64_t high, ByteGate& gate) {
    return admit_range_query(view, low, high, gate);
  }

  static void prepare(View& view) noexcept { prepare_range(view); }

  static Probe probe(const Shape&) noexcept { return kernels_in_use<RangeKernels>().range; }

  static Stats stats(const View& view) noexcept {
    const std::uint64_t keys = range_keys(view);
    return stats_of_words(view, keys == 0 ? 0 : share_of_starts(view, RangeScale(view.shape).length()), keys);
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    if (!(keys > 0)) return 0;
    const RangeScale scale(shape);
    const double most = std::min(std::ceil(keys), static_cast<double>(kMaxCapacity));
    const auto universe = static_cast<double>(scale.universe(static_cast<std::uint64_t>(most)));
    return range_fp_rate(static_cast<double>(scale.length()), keys, universe);
  }

  static Result<AlignedBytes> build(Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                    BuildTask& task) {
    if (numbers->size() == 0) return AlignedBytes(static_cast<std::size_t>(8 * shape.units), task.payload_memory());
    Result<AlignedBytes> payload = build_range(shape, std::move(numbers), max_bytes, task);
    if (payload) shape.units = payload->size() / 8;
    return payload;
  }
};

}  // namespace

constinit const KindRow kRange = make_row<Range>();

}  // namespace crivo
