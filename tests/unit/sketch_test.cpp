// Compares sketches with std::set. A decoded result is the exact difference, or "not yet".
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "random_walk.h"
#include "sketches.h"

namespace crivo::testing {
namespace {

using ::testing::StartsWith;

Numbers drawn(std::uint64_t count, std::mt19937_64& random) {
  Numbers numbers(count);
  std::ranges::generate(numbers, std::ref(random));
  return numbers;
}

/// Whether this number of symbols decodes the difference between the empty set and a set of `difference` keys.
bool decodes(std::uint64_t difference, std::uint64_t symbols, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto found = sketch_of({.symbols = symbols, .seed = seed}, drawn(difference, random)).decode();
  EXPECT_TRUE(found.has_value()) << found.error().message;
  return found->has_value();
}

/// Two sets with keys of any kind and width. Their sketches are made in several ways, and may have too few symbols.
class SketchWalk {
 public:
  explicit SketchWalk(std::uint64_t seed) : random_(seed) {
    spec_.keys = random_.one_of<SketchKeys>({SketchKeys::kHashes, SketchKeys::kBytes, SketchKeys::kIntegers});
    if (spec_.keys == SketchKeys::kBytes) spec_.key_bytes = static_cast<unsigned>(1 + random_.below(32));
    spec_.seed = random_.below(3);
    // One-byte strings have only 256 values.
    const std::uint64_t most = spec_.key_bytes == 1 ? 60 : 1000;
    for (auto& set : sets_) set = {};
    const std::uint64_t common = random_.below(most);
    for (std::uint64_t i = 0; i < common; ++i) sets_[0].insert(draw_key());
    sets_[1] = sets_[0];
    for (auto& set : sets_) {
      for (std::uint64_t left = random_.below(random_.one_of<std::uint64_t>({1, 2, 10, 60})); left > 0; --left) {
        set.insert(draw_key());
      }
    }
    std::ranges::set_difference(sets_[0], sets_[1], std::inserter(only_[0], only_[0].end()));
    std::ranges::set_difference(sets_[1], sets_[0], std::inserter(only_[1], only_[1].end()));
    const std::uint64_t difference = only_[0].size() + only_[1].size();
    spec_.symbols = random_.percent(50) ? sketch_symbols(difference) : 1 + random_.below(2 * difference + 3);
  }

  /// Returns 1 if the difference was found, and 0 for "not yet".
  int walk() {
    Sketch first = made_in_some_way(sets_[0]);
    Sketch second = made_in_some_way(sets_[1]);
    EXPECT_EQ(first.keys(), sets_[0].size());
    EXPECT_TRUE(first.subtract(second));
    const auto found = first.decode();
    EXPECT_TRUE(found.has_value()) << found.error().message;
    if (!found.has_value() || !found->has_value()) return 0;
    expect_side((*found)->only_first, only_[0]);
    expect_side((*found)->only_second, only_[1]);
    return 1;
  }

 private:
  std::string draw_key() {
    if (spec_.keys == SketchKeys::kIntegers) return std::to_string(random_.below(1000) * 0x100000001);
    std::string key(spec_.keys == SketchKeys::kBytes ? spec_.key_bytes : random_.below(40), '\0');
    for (char& byte : key) byte = static_cast<char>(random_.below(256));
    return key;
  }

  Result<void> change(Sketch& sketch, const std::string& key, bool add) {
    if (spec_.keys != SketchKeys::kIntegers) return add ? sketch.add(key) : sketch.remove(key);
    const std::uint64_t number = std::stoull(key);
    return add ? sketch.add_numbers({&number, 1}) : sketch.remove_numbers({&number, 1});
  }

  Sketch part(const std::set<std::string>& set, const SketchSpec& spec, unsigned number, unsigned of) {
    Sketch sketch = *Sketch::create(spec);
    unsigned i = 0;
    for (const std::string& key : set) {
      const bool changed = i++ % of != number || change(sketch, key, true);
      EXPECT_TRUE(changed);
    }
    return sketch;
  }

  /// Makes a sketch in one of four ways: at once, from halves, with a key that is added and removed again, or in two
  /// runs of symbols. All but the last are also written to a blob and parsed.
  Sketch made_in_some_way(const std::set<std::string>& set) {
    Sketch made = part(set, spec_, 0, 1);
    const std::uint64_t way = random_.below(4);
    if (way == 1) {
      made = part(set, spec_, 0, 2);
      EXPECT_TRUE(made.combine(part(set, spec_, 1, 2)));
    } else if (way == 2) {
      const std::string guest = draw_key();
      if (!set.contains(guest)) {
        EXPECT_TRUE(change(made, guest, true));
        EXPECT_TRUE(change(made, guest, false));
      }
    } else if (way == 3 && spec_.symbols > 1) {
      SketchSpec begin = spec_;
      begin.symbols = 1 + random_.below(spec_.symbols - 1);
      SketchSpec rest = spec_;
      rest.first = begin.symbols;
      rest.symbols = spec_.symbols - begin.symbols;
      Sketch joined = part(set, begin, 0, 1);
      EXPECT_TRUE(joined.append(part(set, rest, 0, 1)));
      EXPECT_EQ(joined.to_blob(), made.to_blob());
      return joined;
    }
    return *Sketch::parse(made.to_blob());
  }

  void expect_side(const SketchedKeys& found, const std::set<std::string>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    std::set<std::string> keys;
    for (std::size_t i = 0; i < found.size(); ++i) {
      keys.insert(spec_.keys == SketchKeys::kBytes ? std::string(found.key(i)) : std::to_string(found.number(i)));
    }
    const bool knows_keys = spec_.keys != SketchKeys::kHashes;
    std::set<std::string> known;
    for (const std::string& key : expected) known.insert(knows_keys ? key : std::to_string(hash_key(key, spec_.seed)));
    EXPECT_EQ(keys, known);
  }

  Random random_;
  SketchSpec spec_;
  std::set<std::string> sets_[2];
  std::set<std::string> only_[2];
};

void walk_pairs(std::uint64_t first, std::uint64_t count) {
  int found = 0;
  const bool all =
      walk_seeds("CRIVO_SKETCH_SEED", first, count, [&](std::uint64_t seed) { found += SketchWalk(seed).walk(); });
  EXPECT_TRUE(!all || found > static_cast<int>(count / 2)) << "most walks must find the difference, got " << found;
}

TEST(Sketch, GivesTheDifferenceOfTwoSetsOrSaysNotYet) { walk_pairs(0, 1000); }
TEST(Sketch, GivesTheDifferenceOfTwoSetsOrSaysNotYetLong) { walk_pairs(1'000'000, 100'000); }

TEST(Sketch, GivesIntegersInTheirOrder) {
  const Numbers numbers = {UINT64_MAX, 3, 0, 256, std::uint64_t{1} << 63};  // -1, 3, 0, 256, and the lowest number
  const auto order = [&](SketchKeys keys) {
    Sketch sketch = sketch_of({.symbols = 60, .keys = keys}, numbers);
    const auto found = sketch.decode();
    Numbers given;
    for (std::size_t i = 0; i < (*found)->only_first.size(); ++i) given.push_back((*found)->only_first.number(i));
    return given;
  };
  EXPECT_EQ(order(SketchKeys::kIntegers), (Numbers{std::uint64_t{1} << 63, UINT64_MAX, 0, 3, 256}));
  EXPECT_EQ(order(SketchKeys::kHashes), (Numbers{0, 3, 256, std::uint64_t{1} << 63, UINT64_MAX}));
}

// The paper's mean numbers of symbols per key are 1.35 for large differences, and at most 1.72, for differences of
// about 4. The measured standard deviations are 0.1 over 100 draws and 0.03 over 300 draws. So the standard errors of
// the means are 0.01 and 0.002.
TEST(Sketch, NeedsFewSymbolsForAKey) {
  const auto mean_symbols = [](std::uint64_t difference, std::uint64_t draws) {
    std::uint64_t sum = 0;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      std::uint64_t few = 0;
      std::uint64_t enough = 3 * difference + 30;
      while (enough - few > 1) {
        const std::uint64_t middle = (few + enough) / 2;
        (decodes(difference, middle, seed) ? enough : few) = middle;
      }
      sum += enough;
    }
    return static_cast<double>(sum) / static_cast<double>(difference * draws);
  };
  EXPECT_LT(mean_symbols(100, 100), 1.55);
  EXPECT_LT(mean_symbols(1000, 100), 1.40);
  EXPECT_LT(mean_symbols(10'000, 5), 1.38);
}

// At most 3 of 1,000 fail. The seeds are fixed.
TEST(Sketch, OfTheSymbolsThatAreAdvisedDecodes) {
  for (const std::uint64_t difference : Numbers{0, 1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500}) {
    int failures = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      failures += !decodes(difference, sketch_symbols(difference), seed * 1000 + difference);
    }
    EXPECT_LE(failures, 6) << difference;
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_TRUE(decodes(100'000, sketch_symbols(100'000), seed));
}

// The header's promise for a key that a set contains twice.
TEST(Sketch, FindsAKeyThatASideHasOnceMore) {
  const auto firsts = [](const Numbers& mine, const Numbers& theirs) -> std::optional<Numbers> {
    Sketch sketch = sketch_of({.symbols = 100}, mine);
    EXPECT_TRUE(sketch.subtract(sketch_of({.symbols = 100}, theirs)));
    const auto found = sketch.decode();
    EXPECT_TRUE(found.has_value());
    return *found ? std::optional(numbers_of((*found)->only_first)) : std::nullopt;
  };
  EXPECT_EQ(firsts({1, 2, 3, 3}, {1, 2, 3}), Numbers{3});
  EXPECT_EQ(firsts({1, 2, 3, 3}, {1, 3, 3}), Numbers{2});
  EXPECT_EQ(firsts({1, 2, 3, 3}, {1, 2}), std::nullopt);
}

// Additions and removals may come in any order. The sums are the same, and so must be the number of keys.
TEST(Sketch, IsTheSameForARemovalBeforeItsAddition) {
  Sketch sketch = *Sketch::create({.symbols = 5});
  ASSERT_TRUE(sketch.remove("x"));
  EXPECT_EQ(sketch.keys(), 0U);
  sketch = *Sketch::parse(sketch.to_blob());
  ASSERT_TRUE(sketch.add("y"));
  ASSERT_TRUE(sketch.add("x"));
  Sketch other = *Sketch::create({.symbols = 5});
  ASSERT_TRUE(other.add("y"));
  EXPECT_EQ(sketch.to_blob(), other.to_blob());
  EXPECT_EQ(sketch.keys(), 1U);
}

TEST(Sketch, RefusesWhatCannotBe) {
  const auto message = [](const SketchSpec& spec) { return Sketch::create(spec).error().message; };
  EXPECT_EQ(message({}), "symbols must be in [1, 4294967296], got 0");
  EXPECT_EQ(message({.symbols = 2, .first = kMaxSketchSymbols - 1}), "symbols must be in [1, 1], got 2");
  EXPECT_EQ(message({.symbols = 1, .first = kMaxSketchSymbols}), "first must be below 4294967296, got 4294967296");
  EXPECT_EQ(message({.symbols = 1, .keys = SketchKeys::kBytes, .key_bytes = 33}),
            "key_bytes must be in [1, 32], got 33");
  EXPECT_EQ(message({.symbols = 1, .keys = SketchKeys::kBytes, .key_bytes = 0}), "key_bytes must be in [1, 32], got 0");
  EXPECT_EQ(message({.symbols = 1, .key_bytes = 16}), "key_bytes must be 8 for hashes and integers, got 16");
  const auto too_large = Sketch::create({.symbols = 100}, 1607);
  EXPECT_EQ(too_large.error().message, "symbols must fit in 1607 bytes, got 100, which need 1608");
  EXPECT_EQ(too_large.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(too_large.error().needed_bytes, 1608U);

  Sketch strings = *Sketch::create({.symbols = 1, .keys = SketchKeys::kBytes, .key_bytes = 16});
  EXPECT_EQ(strings.add("short").error().message, "key must have the 16 bytes of the sketch's keys, got 5");
  EXPECT_EQ(strings.remove("short").error().message, "key must have the 16 bytes of the sketch's keys, got 5");
  const std::uint64_t number = 1;
  EXPECT_THAT(strings.add_numbers({&number, 1}).error().message, StartsWith("keys must be hashes or integers, got"));
  EXPECT_THAT(strings.remove_numbers({&number, 1}).error().message, StartsWith("keys must be hashes or integers"));
  Sketch integers = *Sketch::create({.symbols = 1, .keys = SketchKeys::kIntegers});
  EXPECT_EQ(integers.add("1").error().message, "key must be an integer, got a byte string");
  EXPECT_EQ(strings.keys() + integers.keys(), 0U);
  Sketch later = *Sketch::create({.symbols = 1, .first = 5});
  EXPECT_EQ(later.decode().error().message, "first must be 0 to decode, got 5");
}

TEST(Sketch, RefusesASketchOfOtherKeys) {
  const SketchSpec spec{.symbols = 10, .seed = 1};
  const auto changed = [&](auto change) {
    SketchSpec other = spec;
    change(other);
    return *Sketch::create(other);
  };
  Sketch sketch = sketch_of(spec, {1, 2});
  const auto before = sketch.to_blob();
  const auto expect_refused = [&](const Sketch& other, const char* combined, const char* subtracted) {
    EXPECT_EQ(sketch.combine(other).error().message, combined);
    const auto difference = sketch.subtract(other);
    EXPECT_EQ(difference ? "" : difference.error().message, subtracted);
    EXPECT_EQ(sketch.to_blob(), before);
  };
  expect_refused(changed([](SketchSpec& other) { other.seed = 2; }),
                 "seed must be the same in both sketches, got 1 and 2",
                 "seed must be the same in both sketches, got 1 and 2");
  expect_refused(changed([](SketchSpec& other) { other.keys = SketchKeys::kIntegers; }),
                 "keys must be the same in both sketches, got hashes and integers",
                 "keys must be the same in both sketches, got hashes and integers");
  expect_refused(changed([](SketchSpec& other) { other.first = 3; }),
                 "first must be the same in both sketches, got 0 and 3",
                 "first must be the same in both sketches, got 0 and 3");
  EXPECT_EQ(sketch.append(changed([](SketchSpec& other) { other.first = 11; })).error().message,
            "first must be 10, the number after the last symbol, got 11");
  EXPECT_EQ(sketch.append(changed([](SketchSpec& other) { other.first = 10; })).error().message,
            "number of keys must be the same in both sketches of a set, got 2 and 0");
  Sketch bytes = *Sketch::create({.symbols = 1, .keys = SketchKeys::kBytes, .key_bytes = 4});
  EXPECT_EQ(bytes.subtract(*Sketch::create({.symbols = 1, .keys = SketchKeys::kBytes, .key_bytes = 5})).error().message,
            "keys must be the same in both sketches, got bytes:4 and bytes:5");
}

TEST(Sketch, SubtractsAShorterOne) {
  std::mt19937_64 random(1);
  Numbers numbers = drawn(1000, random);
  Sketch long_one = sketch_of({.symbols = 500}, numbers);
  numbers.pop_back();
  ASSERT_TRUE(long_one.subtract(sketch_of({.symbols = 20}, numbers)));
  EXPECT_EQ(long_one.spec().symbols, 20U);
  const auto found = long_one.decode();
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->only_first.size(), 1U);
}

TEST(Sketch, ReadsWhatItsKeysAre) {
  SketchSpec spec;
  ASSERT_TRUE(choose_sketch_keys(spec, "bytes:16"));
  EXPECT_EQ(spec, (SketchSpec{.keys = SketchKeys::kBytes, .key_bytes = 16}));
  ASSERT_TRUE(choose_sketch_keys(spec, "integers"));
  EXPECT_EQ(spec, (SketchSpec{.keys = SketchKeys::kIntegers}));
  ASSERT_TRUE(choose_sketch_keys(spec, "hashes"));
  EXPECT_EQ(spec, SketchSpec{});
  for (const char* wrong : {"", "bytes", "bytes:", "bytes:0", "bytes:33", "bytes:1x", "hash"}) {
    EXPECT_EQ(choose_sketch_keys(spec, wrong).error().message,
              std::string("keys must be hashes, integers or bytes:N with N from 1 to 32, got ") + wrong);
  }
}

}  // namespace
}  // namespace crivo::testing
