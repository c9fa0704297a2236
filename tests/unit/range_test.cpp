// Compares the range kind with a sorted vector of its keys, and its rates with the paper's bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "crivo/builder.h"
#include "crivo/ordered.h"
#include "filter/view_of.h"
#include "filters.h"
#include "kernels.h"
#include "kinds/range/layout.h"
#include "reference.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kTop = ~std::uint64_t{0};

/// The keys, sorted and distinct. A range filter must find every range that has one of them.
class Keys {
 public:
  explicit Keys(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }
  [[nodiscard]] const std::vector<std::uint64_t>& all() const { return keys_; }
  [[nodiscard]] bool has(std::uint64_t low, std::uint64_t high) const {
    const auto found = std::ranges::lower_bound(keys_, low);
    return found != keys_.end() && *found <= high;
  }

 private:
  std::vector<std::uint64_t> keys_;
};

/// The distributions of the keys.
enum class Spread { kUniform, kConsecutive, kClustered, kAtTheTop };
constexpr Spread kSpreads[] = {Spread::kUniform, Spread::kConsecutive, Spread::kClustered, Spread::kAtTheTop};

std::vector<std::uint64_t> keys_of(Spread spread, std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (spread) {
      case Spread::kUniform:
        keys[i] = random();
        break;
      case Spread::kConsecutive:
        keys[i] = 1'000'000'007 + i;
        break;
      case Spread::kClustered:
        keys[i] = (random() % 16 << 60) + random() % (4 * count);
        break;
      case Spread::kAtTheTop:
        keys[i] = kTop - 3 * i;
        break;
    }
  }
  return keys;
}

FilterSpec spec_of(std::uint64_t capacity, double fp_rate, unsigned length, std::uint64_t seed = 0) {
  return {.kind = Kind::kRange, .capacity = capacity, .fp_rate = fp_rate, .seed = seed, .range_length = length};
}

AnyFilter filter_of(const FilterSpec& spec, const std::vector<std::uint64_t>& keys) {
  return *AnyFilter::build(spec, keys);
}

/// A range near a key, near 0 or the largest number, or anywhere.
struct Question {
  std::uint64_t low;
  std::uint64_t high;

  Question(const Keys& keys, std::uint64_t most, std::mt19937_64& random) {
    const std::uint64_t steps = random() % most;
    switch (random() % 4) {
      case 0:
        low = random();
        break;
      case 1:
        low = keys.all()[random() % keys.all().size()] + 1;
        break;
      case 2:
        low = keys.all()[random() % keys.all().size()] - random() % (steps + 2);
        break;
      default:
        low = random() % 2 == 0 ? random() % 100 : kTop - random() % 100;
    }
    high = low > kTop - steps ? kTop : low + steps;
  }
};

/// The expected answers of a filter with these keys: whether a range has the code of any key, "maybe" included.
class Codes {
 public:
  Codes(const Shape& shape, const Keys& keys) : hash_(shape.seed, RangeScale(shape).universe(keys.all().size())) {
    for (const std::uint64_t key : keys.all()) codes_.push_back(code_of(key));
    std::ranges::sort(codes_);
  }
  [[nodiscard]] bool has(std::uint64_t low, std::uint64_t high) const {
    if (high - low >= hash_.universe) return true;
    const std::uint64_t last_of_block = low + (hash_.universe - 1 - low % hash_.universe);
    if (last_of_block < low || high <= last_of_block) return has_between(code_of(low), code_of(high));
    return has_between(code_of(low), code_of(last_of_block)) || has_between(code_of(last_of_block + 1), code_of(high));
  }

 private:
  [[nodiscard]] std::uint64_t code_of(std::uint64_t number) const {
    __extension__ using Wide = unsigned __int128;
    const Wide code = Wide{hash_.start_of(number / hash_.universe)} + number % hash_.universe;
    return static_cast<std::uint64_t>(code % hash_.universe);
  }
  [[nodiscard]] bool has_between(std::uint64_t first, std::uint64_t last) const {
    if (first > last) return has_between(first, hash_.universe - 1) || has_between(0, last);
    const auto found = std::ranges::lower_bound(codes_, first);
    return found != codes_.end() && *found <= last;
  }

  RangeHash hash_;
  std::vector<std::uint64_t> codes_;
};

void walk(const FilterSpec& spec, const std::vector<std::uint64_t>& added, int questions, std::mt19937_64& random) {
  const Keys keys(added);
  const AnyFilter filter = filter_of(spec, added);
  const Codes codes(filter.shape(), keys);
  ASSERT_TRUE(FilterRef::open(filter.shape(), filter.facts(), filter.payload()));
  for (const std::uint64_t key : keys.all()) ASSERT_TRUE(filter.may_contain_range(key, key)) << key;
  for (int i = 0; i < questions; ++i) {
    const Question asked(keys, i % 2 == 0 ? 2 * std::uint64_t{spec.range_length} : std::uint64_t{1} << random() % 63,
                         random);
    const bool answer = filter.may_contain_range(asked.low, asked.high);
    if (keys.has(asked.low, asked.high)) {
      ASSERT_TRUE(answer) << asked.low << " to " << asked.high;
    }
    ASSERT_EQ(answer, codes.has(asked.low, asked.high)) << asked.low << " to " << asked.high;
    for (const Kernels& level : available_kernels()) {
      ASSERT_EQ(level.range.contains_range(ViewOf::filter(filter.ref()), asked.low, asked.high), answer) << level.isa;
    }
  }
  EXPECT_TRUE(filter.may_contain_range(0, kTop));
}

TEST(Range, NeverDeniesAKeyWhateverTheKeysAndTheQuestions) {
  std::mt19937_64 random(1);
  for (const Spread spread : kSpreads) {
    for (const std::size_t count : {1U, 2U, 3U, 64U, 1000U, 20'000U}) {
      for (const double fp_rate : {0.9, 0.5, 0.01, 1e-9}) {
        for (const unsigned length : {1U, 64U, 1U << 12}) {
          SCOPED_TRACE(std::to_string(count) + " keys, length " + std::to_string(length) + " at " +
                       std::to_string(1 / fp_rate));
          std::vector<std::uint64_t> keys = keys_of(spread, count, random);
          if (count % 2 == 0) keys.insert(keys.end(), {0, kTop});
          keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count / 3));
          walk(spec_of(count, fp_rate, length, count), keys, 1000, random);
        }
      }
    }
  }
}

// Some buckets are empty, some are full, and some are long enough for a binary search. The numbers of lower bits
// include those at which the lookup takes another branch. Ranges are short, so that many are empty.
TEST(Range, AnswersWhatTheCodesOfItsKeysSay) {
  std::mt19937_64 random(8);
  for (const Spread spread : kSpreads) {
    for (const std::size_t count : {1U, 3U, 20U, 64U, 2000U, 40'000U}) {
      for (const unsigned bits_above : {0U, 1U, 6U, 13U, 16U, 30U, 46U, 57U, 60U}) {
        const auto added = keys_of(spread, count, random);
        const Keys keys(added);
        FilterSpec spec = spec_of(added.size(), 0.01, 1, count);
        spec.bits_per_key = 2.5 + bits_above;
        const AnyFilter filter = filter_of(spec, added);
        const Codes codes(filter.shape(), keys);
        for (int i = 0; i < 2000; ++i) {
          const Question asked(keys, std::uint64_t{1} << random() % (bits_above + 2), random);
          for (const Kernels& level : available_kernels()) {
            ASSERT_EQ(level.range.contains_range(ViewOf::filter(filter.ref()), asked.low, asked.high),
                      codes.has(asked.low, asked.high))
                << level.isa << ": " << asked.low << " to " << asked.high << " of " << count << " keys, " << bits_above;
          }
        }
      }
    }
  }
}

TEST(Range, NeverDeniesAKeyOfMillionsLong) {
  std::mt19937_64 random(2);
  for (const Spread spread : kSpreads) {
    walk(spec_of(1, 0.01, 64), keys_of(spread, 3'000'000, random), 10'000'000, random);
  }
}

TEST(Range, HasNothingInAnEmptyRangeAndWithoutKeys) {
  const AnyFilter filter = filter_of(spec_of(1, 0.5, 1), {7});
  EXPECT_FALSE(filter.may_contain_range(8, 7));
  EXPECT_FALSE(filter.may_contain_range(kTop, 0));
  EXPECT_FALSE(filter_of(spec_of(1, 0.5, 1), {}).may_contain_range(0, kTop));
  EXPECT_TRUE(build_filter(Kind::kBlocked, 0).may_contain_range(1, 2)) << "a kind that cannot tell says maybe";
  EXPECT_FALSE(build_filter(Kind::kBlocked, 0).may_contain_range(2, 1));
}

/// Where the tested ranges are: anywhere, as near to a key as possible, or where a key would be if the blocks of the
/// reduced universe were not shifted against each other.
enum class Where { kAnywhere, kNear, kOneBlockBefore };
constexpr Where kWheres[] = {Where::kAnywhere, Where::kNear, Where::kOneBlockBefore};

/// Draws ranges of one length that contain no key.
class EmptyRanges {
 public:
  EmptyRanges(const Keys& keys, std::uint64_t length, std::uint64_t universe, Where where)
      : keys_(keys), length_(length), universe_(universe), where_(where) {
    std::uint64_t first = 0;
    for (const std::uint64_t key : keys.all()) {
      if (key - first >= length) gaps_.push_back({first, key - length});
      first = key + 1;
    }
    if (first != 0 && kTop - first >= length) gaps_.push_back({first, kTop - length});
  }
  /// The first number of a random range without a key.
  [[nodiscard]] std::uint64_t draw(std::mt19937_64& random) const {
    if (where_ == Where::kNear) {
      const auto& [first, last] = gaps_[random() % gaps_.size()];
      const std::uint64_t away = std::min<std::uint64_t>(last - first, random() % 1000);
      return random() % 2 == 0 ? first + away : last - away;
    }
    for (;;) {
      const std::uint64_t number = random();
      const std::uint64_t key = keys_.all()[number % keys_.all().size()];
      const std::uint64_t low = where_ == Where::kAnywhere ? number : key - universe_ - number % length_;
      if (low <= kTop - length_ && !keys_.has(low, low + length_ - 1)) return low;
    }
  }

 private:
  struct Gap {
    std::uint64_t first;  // where a range without a key may begin
    std::uint64_t last;
  };
  const Keys& keys_;
  std::uint64_t length_;
  std::uint64_t universe_;
  Where where_;
  std::vector<Gap> gaps_;
};

// The bound applies to the mean over all hashes. The false positives of one filter are not independent, for instance
// where the codes of two clusters overlap. So the sample is the rates of `seeds` filters. A normal variable exceeds its
// mean by five standard errors less than once in a million times.
void expect_bound(Spread spread, std::uint64_t length, Where where, int seeds, int questions_each) {
  constexpr std::size_t kKeys = 20'000;
  std::mt19937_64 random(length);
  const std::vector<std::uint64_t> added = keys_of(spread, kKeys, random);
  const Keys keys(added);
  const std::uint64_t universe =
      RangeScale(filter_of(spec_of(kKeys, 0.02, 64), added).shape()).universe(keys.all().size());
  const EmptyRanges ranges(keys, length, universe, where);
  double sum = 0;
  double squares = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const AnyFilter filter = filter_of(spec_of(kKeys, 0.02, 64, static_cast<std::uint64_t>(seed)), added);
    int found = 0;
    for (int i = 0; i < questions_each; ++i) {
      const std::uint64_t low = ranges.draw(random);
      found += filter.may_contain_range(low, low + length - 1) ? 1 : 0;
    }
    const double rate = static_cast<double>(found) / questions_each;
    sum += rate;
    squares += rate * rate;
  }
  const double mean = sum / seeds;
  const double error = std::sqrt(std::max(0.0, squares / seeds - mean * mean) / (seeds - 1));
  EXPECT_LE(mean, static_cast<double>(length) * 0.02 / 64 + 5 * error)
      << "spread " << static_cast<int>(spread) << ", length " << length << ", where " << static_cast<int>(where);
}

TEST(Range, KeepsTheBoundOfItsRateWhateverTheKeysAndTheQuestions) {
  for (const Spread spread : kSpreads) {
    for (const std::uint64_t length : {1U, 10U, 64U, 1000U, 10'000U}) {
      for (const Where where : kWheres) expect_bound(spread, length, where, 16, 1000);
    }
  }
}

TEST(Range, KeepsTheBoundOfItsRateOverTenMillionQuestionsEachLong) {
  for (const Spread spread : kSpreads) {
    for (const std::uint64_t length : {1U, 10U, 64U, 1000U, 10'000U}) {
      for (const Where where : kWheres) expect_bound(spread, length, where, 1000, 10'000);
    }
  }
}

TEST(Range, TakesTheBitsOfTheFormulaAndThreePercent) {
  std::mt19937_64 random(3);
  for (const Spread spread : {Spread::kUniform, Spread::kConsecutive}) {
    for (const std::size_t count : {10'000U, 300'000U}) {
      for (const double fp_rate : {0.5, 0.3, 0.1, 0.01, 1e-3, 1e-6}) {
        for (const unsigned length : {1U, 32U, 1U << 16}) {
          const AnyFilter filter = filter_of(spec_of(count, fp_rate, length), keys_of(spread, count, random));
          const double bits = 8 * static_cast<double>(filter.payload().size()) / static_cast<double>(count);
          EXPECT_LE(bits, 1.03 * (2 + std::log2(length / fp_rate))) << count << " " << fp_rate << " " << length;
        }
      }
    }
  }
}

TEST(Range, IsPlannedUpToTheLargestCapacity) {
  const auto planned = AnyFilter::create(spec_of(kMaxCapacity, 0.01, 1), 1000);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, ErrorCode::kTooLarge);
  const double bits = 8 * static_cast<double>(planned.error().needed_bytes) / static_cast<double>(kMaxCapacity);
  EXPECT_LE(bits, 1.03 * (2 + std::log2(100.0)));
  const auto refused = AnyFilter::create(spec_of(kMaxCapacity, 1e-6, 1U << 31));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("fp_rate must be at least"), std::string::npos) << refused.error().message;
}

TEST(Range, RefusesALengthThatIsNoPowerOfTwo) {
  FilterSpec spec;
  ASSERT_TRUE(choose_kind(spec, "range:100"));
  spec.capacity = 10;
  const auto filter = AnyFilter::create(spec);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().message, "range length must be a power of two in [1, 2147483648], got 100");
  ASSERT_TRUE(choose_kind(spec, "range:2147483648"));
  EXPECT_EQ(kind_text(spec), "range:2147483648");
  EXPECT_TRUE(AnyFilter::build(spec, std::span<const std::uint64_t>()));
  ASSERT_TRUE(choose_kind(spec, "range"));
  EXPECT_EQ(kind_text(spec), "range:1");
}

TEST(Range, ForgedPayloadsAreRefusedOrAnswerWithoutHarm) {
  std::mt19937_64 random(6);
  const AnyFilter sound = filter_of(spec_of(2000, 0.01, 64), keys_of(Spread::kClustered, 2000, random));
  const std::uint64_t words = sound.payload().size() / 8;
  for (int round = 0; round < 20'000; ++round) {
    AlignedBytes payload(sound.payload().begin(), sound.payload().end());
    for (int change = 0; change <= round % 5; ++change) {
      const std::uint64_t word = round % 3 == 0 ? random() % 2 : random() % words;
      store_le(payload.data() + 8 * word, random() >> random() % 64);
    }
    const auto opened = FilterRef::open(sound.shape(), sound.facts(), payload);
    if (!opened) continue;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t low = random();
      const std::uint64_t high = low + std::min(kTop - low, random() >> random() % 64);
      const bool answer = opened->may_contain_range(low, high);
      for (const Kernels& level : available_kernels()) {
        ASSERT_EQ(level.range.contains_range(ViewOf::filter(*opened), low, high), answer) << level.isa;
      }
    }
    const double fp_rate = opened->stats().current_fp_rate;
    EXPECT_TRUE(fp_rate >= 0 && fp_rate <= 1) << fp_rate;
  }
}

TEST(Ordered, NumbersKeepTheOrderOfTheirKeys) {
  EXPECT_EQ(ordered(std::int64_t{0}), std::uint64_t{1} << 63);
  EXPECT_EQ(ordered(INT64_MIN), 0U);
  EXPECT_EQ(ordered(INT64_MAX), kTop);
  EXPECT_EQ(ordered(-1), ordered(std::int64_t{-1}));
  EXPECT_LT(ordered(-1), ordered(0));
  EXPECT_EQ(ordered(""), 0U);
  EXPECT_EQ(ordered("a"), std::uint64_t{'a'} << 56);
  EXPECT_EQ(ordered("abcdefgh"), ordered("abcdefghi"));
  EXPECT_LT(ordered("ab"), ordered("abc"));
  EXPECT_LT(ordered("\x7f"), ordered("\x80"));
  EXPECT_EQ(last_ordered("a"), ordered("b") - 1);
  EXPECT_EQ(last_ordered(""), kTop);
  EXPECT_EQ(last_ordered("abcdefghi"), ordered("abcdefgh"));
}

TEST(Range, IsTheSameFromMemoryAndFromFiles) {
  std::mt19937_64 random(5);
  for (const Spread spread : kSpreads) {
    const auto keys = keys_of(spread, 3'000'000, random);
    const FilterSpec spec = spec_of(0, 0.01, 64);
    const auto build = [&](std::uint64_t max_memory) {
      auto builder = FilterBuilder::create(spec, {.max_memory = max_memory});
      EXPECT_TRUE(builder->add_hashes(keys));
      EXPECT_TRUE(builder->add_hashes(std::span(keys).first(1000)));
      return builder->finish();
    };
    const auto large = build(UINT64_MAX);
    const auto small = build(std::uint64_t{24} << 20);
    ASSERT_TRUE(large);
    ASSERT_TRUE(small) << small.error().message;
    EXPECT_EQ(large->shape(), small->shape());
    EXPECT_EQ(bytes_of(*large), bytes_of(*small));
  }
}

}  // namespace
}  // namespace crivo::testing
