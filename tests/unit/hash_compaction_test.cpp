// Compares the hash_compaction kind with the only layout that its keys can have. Tests its limits and forged payloads.

#include <cmath>

#include "fingerprints.h"
#include "kinds/table/packed_slots.h"
#include "kinds/table/sizes.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

Shape shape_of(unsigned f, std::uint64_t slots) {
  return {.kind = Kind::kHashCompaction, .k = 1, .param = static_cast<std::uint16_t>(f), .units = slots};
}

FilterSpec spec_of(std::uint64_t capacity, double fp_rate) {
  return {.kind = Kind::kHashCompaction, .capacity = capacity, .fp_rate = fp_rate};
}

AnyFilter empty_filter(unsigned f, std::uint64_t slots) {
  return filter_of(shape_of(f, slots), std::vector<std::uint32_t>(slots));
}

/// Slot i of a key's probe sequence, by docs/format.md, "hash_compaction".
std::uint64_t probe(std::uint64_t h, unsigned f, std::uint64_t slots, std::uint64_t i) {
  const std::uint64_t step = 1 + reference::mulhi(reference::scattered(reference::fingerprint(h, f)), slots - 1);
  return (reference::mulhi(h, slots) + i * step) % slots;
}

bool contains(const std::vector<std::uint32_t>& slots, std::uint64_t h, unsigned f) {
  const std::uint32_t v = reference::fingerprint(h, f);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint32_t stored = slots[probe(h, f, slots.size(), i)];
    if (stored <= v) return stored == v;
  }
  return true;
}

/// "A value lies at the first slot of its sequence that does not hold a larger value": if the largest values are added
/// first, no value has to move.
std::vector<std::uint32_t> layout_of(std::vector<std::uint64_t> hashes, unsigned f, std::uint64_t count) {
  std::ranges::sort(hashes, [f](std::uint64_t a, std::uint64_t b) {
    return reference::fingerprint(a, f) > reference::fingerprint(b, f);
  });
  std::vector<std::uint32_t> slots(count);
  for (const std::uint64_t h : hashes) {
    const std::uint32_t v = reference::fingerprint(h, f);
    std::uint64_t i = 0;
    while (slots[probe(h, f, count, i)] > v) ++i;
    slots[probe(h, f, count, i)] = v;
  }
  return slots;
}

TEST(HashCompaction, ThePayloadIsTheOneLayoutOfItsKeysInAnyOrder) {
  for (const unsigned f : {2U, 3U, 8U, 13U, 17U, 31U, 32U}) {
    for (const std::uint64_t slots : {2U, 23U, 997U}) {
      auto hashes = random_hashes(slots * 95 / 100, f + slots);
      const auto expected = reference::packed(layout_of(hashes, f, slots), f);
      for (int order = 0; order < 3; ++order) {
        AnyFilter filter = empty_filter(f, slots);
        ASSERT_TRUE(filter.add_hashes(hashes));
        EXPECT_EQ(bytes_of(filter), expected) << "f = " << f << ", " << slots << " slots";
        std::ranges::shuffle(hashes, std::mt19937_64(static_cast<unsigned>(order)));
      }
    }
  }
}

// Includes payloads that no writer produces: values in wrong slots, almost no empty slot, a number of slots that is not
// prime. Sanitizers see every read after the payload's last byte.
TEST(HashCompaction, AnswersLikeTheModelForAnyPayload) {
  constexpr std::size_t kQueries = 2000;
  for (unsigned f = kMinHashCompactionBits; f <= kMaxFingerprintBits; ++f) {
    for (const std::uint64_t count : {2U, 60U, 997U}) {
      const auto hashes = random_hashes(kQueries, 100 + f);
      auto slots = random_slots(count, f, f % 3, f);
      for (std::size_t i = 0; i < count / 2; ++i) {  // random queries would never match long values
        slots[probe(hashes[i], f, count, i % 5)] = reference::fingerprint(hashes[i], f);
      }
      const auto payload = reference::packed(slots, f);
      const auto ref = FilterRef::open(shape_of(f, count), {.capacity = 1, .fp_rate = 0.5}, payload);
      expect_answers(*ref, hashes, [&](std::uint64_t hash) { return contains(slots, hash, f); });
    }
  }
}

// Every slot has the largest value, so no slot ends a search.
TEST(HashCompaction, ASearchOfAPayloadFullOfTheLargestValueEndsAndFindsEverything) {
  constexpr unsigned kBits = 8;
  constexpr std::uint64_t kSlots = 100'003;
  AnyFilter filter = filter_of(shape_of(kBits, kSlots), std::vector<std::uint32_t>(kSlots, 255));
  const auto hashes = random_hashes(1000, 1);
  EXPECT_EQ(count_found(filter.ref(), hashes), hashes.size());
  const auto before = bytes_of(filter);
  EXPECT_TRUE(filter.add_hashes(hashes)) << "they are found already";
  EXPECT_EQ(bytes_of(filter), before);
  const Stats stats = filter.ref().stats();
  EXPECT_EQ(stats.bits_set, stats.bits);
  EXPECT_EQ(stats.current_fp_rate, 1);
  EXPECT_FALSE(stats.cardinality);
}

// An addition at load a fails with probability a^1000. At a load of 95% this is 5e-23, and at 98% 2e-9, so an addition
// can fail only in the last few percent.
TEST(HashCompaction, FillsPast95PercentBeforeTheFirstFailureAndLosesNothingThen) {
  AnyFilter filter = build_filter(spec_of(100'000, 0.001), 0);
  const auto slots = static_cast<double>(filter.shape().units);
  const auto hashes = random_hashes(200'000, 1);
  std::vector<std::uint64_t> taken;
  int refused = 0;
  for (const std::uint64_t hash : hashes) {
    const bool may_fail = static_cast<double>(taken.size()) > 0.96 * slots && refused < 20;
    const auto before = may_fail ? bytes_of(filter) : std::vector<std::byte>();
    if (filter.add_hashes({&hash, 1})) {
      taken.push_back(hash);
      continue;
    }
    if (refused++ == 0) {
      EXPECT_THAT(
          filter.add_hashes({&hash, 1}).error().message,
          MatchesRegex("filter must have a free slot: its load is 0[.]9[0-9]* and a search of 1000 slots found none "
                       "empty; .*capacity 100000, keys [0-9]+.*"));
      const Stats stats = filter.ref().stats();
      EXPECT_GT(static_cast<double>(stats.bits_set), 0.97 * static_cast<double>(stats.bits));
    }
    if (!before.empty()) {
      ASSERT_EQ(bytes_of(filter), before);
    }
    if (refused == 100) break;
  }
  EXPECT_EQ(refused, 100);
  EXPECT_GT(static_cast<double>(taken.size()), 0.97 * slots);
  EXPECT_EQ(count_found(filter.ref(), taken), taken.size());
}

TEST(HashCompaction, HasRoomForItsCapacityAtEverySize) { expect_room_at_every_size(Kind::kHashCompaction, 1); }

// The model must be within 2% of the measured rate at every width and load. For f > 9, the model is at most 1% too
// high. At the lowest of these rates, 0.1%, 2.5 million absent keys have a standard deviation of 2%. The test allows
// three of these.
TEST(HashCompaction, TheModelIsTheMeasuredRateAtEveryWidthAndLoad) {
  constexpr std::uint64_t kSlots = 500'009;
  constexpr double kAbsent = 2'500'000;
  const auto absent = random_hashes(static_cast<std::size_t>(kAbsent), 99);
  for (const unsigned f : {2U, 4U, 7U, 9U, 10U, 12U}) {
    for (const double load : {0.5, 0.8, 0.95}) {
      AnyFilter filter = empty_filter(f, kSlots);
      ASSERT_TRUE(filter.add_hashes(random_hashes(static_cast<std::size_t>(load * kSlots), f)));
      const double rate = hash_compaction_fp_rate(load, f);
      const double found = static_cast<double>(count_found(filter.ref(), absent));
      const double tolerance = 0.02 * rate * kAbsent + 3 * std::sqrt(rate * kAbsent);
      EXPECT_NEAR(found, kAbsent * rate, tolerance) << "f = " << f << ", load " << load;
      const Stats stats = filter.ref().stats();
      EXPECT_NEAR(*stats.cardinality, load * kSlots, 0.01 * load * kSlots) << "f = " << f << ", load " << load;
      EXPECT_NEAR(stats.current_fp_rate, rate, 0.02 * rate);
    }
  }
}

// With only one value, every occupied slot has this value, and the rate is the load, as in a bit array with one probe.
TEST(HashCompaction, TheRateIsTheDerivedOne) {
  EXPECT_EQ(hash_compaction_fp_rate(0, 9), 0);
  EXPECT_NEAR(hash_compaction_fp_rate(0.95, 1), 1 - std::exp(-0.95), 1e-12);
  EXPECT_NEAR(hash_compaction_fp_rate(0.95, 20), (2 * std::log(20.0) - 0.95) / (std::exp2(20) - 1), 1e-9);
  EXPECT_EQ(hash_compaction_fp_rate(1, 20), 1);
  for (const unsigned f : {2U, 9U, 10U, 32U}) {  // far more keys than slots: every key is found
    for (const double load : {1e4, 1e6, 0x1p40})
      EXPECT_GT(hash_compaction_fp_rate(load, f), 0.99) << f << " at " << load;
  }
  for (const unsigned f : {2U, 9U, 10U, 32U}) {
    EXPECT_NEAR(hash_compaction_cardinality(1e6, 1, f), 1, 1e-3);
    EXPECT_EQ(hash_compaction_cardinality(1e6, 0, f), 0);
  }
}

TEST(HashCompaction, SizesArePrimeAndTheSmallestThatMeetTheRate) {
  constexpr double kKeys = 1e8;
  for (const double fp_rate : {0.3, 0.1, 0.03, 0.01, 0.0095, 0.001, 1e-6, 1e-9}) {
    const auto size = size_hash_compaction(static_cast<std::uint64_t>(kKeys), fp_rate);
    const double slots = static_cast<double>(size->units);
    EXPECT_LE(hash_compaction_fp_rate(kKeys / slots, size->bits), fp_rate);
    EXPECT_LE(kKeys / slots, 0.95);
    for (std::uint64_t divisor = 2; divisor * divisor <= size->units; ++divisor) {
      ASSERT_NE(size->units % divisor, 0U) << size->units << " is not prime";
    }
    const double bits = slots * size->bits;
    for (unsigned f = 2; f <= 32; ++f) {
      const double fewer_bits = kKeys * f / (bits * (1 - 1e-5));  // the load with f - 1 bits in the same memory
      // Equal hashes cause up to 0.54% of the rate (at 1e-9), which no width can avoid.
      const double of_hashes = fp_rate - kKeys * 0x1p-64;
      EXPECT_TRUE(fewer_bits > 0.95 || hash_compaction_fp_rate(fewer_bits, f) > of_hashes) << f << " at " << fp_rate;
    }
  }
}

TEST(HashCompaction, RejectsShapesAndPaddingThatNoWriterLeaves) {
  const auto payload = reference::packed(std::vector<std::uint32_t>(11), 9);
  EXPECT_EQ(refusal(shape_of(9, 11), payload), "accepted");
  EXPECT_EQ(refusal(shape_of(1, 11), payload), "kind parameter (fingerprint bits) must be in [2, 32], got 1");
  EXPECT_EQ(refusal(shape_of(33, 11), payload), "kind parameter (fingerprint bits) must be in [2, 32], got 33");
  EXPECT_THAT(refusal(shape_of(9, 1), payload), HasSubstr("number of slots must be in [2, 2199023255552], got 1"));
  EXPECT_THAT(refusal(shape_of(9, (std::uint64_t{1} << 41) + 1), payload), HasSubstr("number of slots must be in"));
  Shape shape = shape_of(9, 11);
  shape.k = 2;
  EXPECT_EQ(refusal(shape, payload), "k must be 1, got 2");
  expect_padding_refused(shape_of(9, 11), payload, 11 * 9);
}

}  // namespace
}  // namespace crivo::testing
