// Compares the counting kind with a model that has an integer per counter, and with the blocked filter of the same
// keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "against_scalar.h"
#include "crivo/convert.h"
#include "filters.h"
#include "kinds/bloom/block.h"
#include "kinds/bloom/counter_block.h"
#include "reference.h"

namespace crivo::testing {
namespace {

constexpr unsigned kSaturated = 15;

FilterSpec spec_of(Kind kind, std::uint64_t capacity, double fp_rate) {
  return {.kind = kind, .capacity = capacity, .fp_rate = fp_rate};
}

Shape shape_of(unsigned probes, std::uint64_t blocks) {
  return {.kind = Kind::kCounting, .k = static_cast<std::uint8_t>(probes), .units = blocks};
}

AnyFilter empty_filter(const Shape& shape) {
  return *AnyFilter::adopt(shape, {.capacity = 1, .fp_rate = 0.5}, AlignedBytes(shape.units * 256));
}

/// A counting filter with an integer per counter, written only from docs/format.md, "counting".
class Model {
 public:
  explicit Model(const Shape& shape) : shape_(shape), counters_(shape.units * 512) {}

  std::set<std::uint64_t> positions(std::uint64_t hash) const {
    const auto all = reference::blocked_positions(hash, shape_.k, shape_.units);
    return {all.begin(), all.end()};
  }
  void add(std::uint64_t hash) {
    for (const auto p : positions(hash)) counters_[p] = std::min(counters_[p] + 1, kSaturated);
  }
  bool remove(std::uint64_t hash) {
    for (const auto p : positions(hash)) {
      if (counters_[p] == 0) return false;
    }
    for (const auto p : positions(hash)) {
      if (counters_[p] != kSaturated) --counters_[p];
    }
    return true;
  }
  unsigned count(std::uint64_t hash) const {
    unsigned smallest = kSaturated;
    for (const auto p : positions(hash)) smallest = std::min(smallest, counters_[p]);
    return smallest;
  }
  void unite(const Model& other) {
    for (std::size_t p = 0; p < counters_.size(); ++p) {
      counters_[p] = std::min(counters_[p] + other.counters_[p], kSaturated);
    }
  }
  std::vector<std::byte> payload() const {
    reference::Bits bits(counters_.size() * 4);
    for (std::size_t p = 0; p < counters_.size(); ++p) {
      for (std::size_t plane = 0; plane < 4; ++plane) {
        bits[p / 512 * 2048 + plane * 512 + p % 512] = (counters_[p] >> plane & 1) != 0;
      }
    }
    return reference::to_bytes(bits);
  }

 private:
  Shape shape_;
  std::vector<unsigned> counters_;
};

// Few blocks and many keys, so that counters of every value are incremented, decremented and saturated.
TEST(Counting, AddsRemovesAndCountsLikeTheModel) {
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    const Shape shape = shape_of(probes, 3);
    AnyFilter filter = empty_filter(shape);
    Model model(shape);
    std::mt19937_64 random(probes);
    const auto hashes = random_hashes(600, probes + 100);
    unsigned refused = 0;
    for (int step = 0; step < 6000; ++step) {
      const std::uint64_t hash = hashes[random() % hashes.size()];
      if (random() % 100 < 60) {
        ASSERT_TRUE(filter.add_hashes({&hash, 1}));
        model.add(hash);
      } else {
        const auto removed = filter.remove_hash(hash);
        ASSERT_EQ(removed.has_value(), model.remove(hash));
        if (!removed) ++refused;
      }
      const std::uint64_t asked = hashes[random() % hashes.size()];
      ASSERT_EQ(*filter.ref().count_hash(asked), model.count(asked)) << "k " << probes << ", step " << step;
      if (step % 500 == 499) {
        ASSERT_EQ(bytes_of(filter), model.payload()) << "k " << probes << ", step " << step;
      }
    }
    EXPECT_GT(refused, 0U);
  }
}

TEST(Counting, UnitesBySaturatingSums) {
  const Shape shape = shape_of(6, 4);
  const auto first = random_hashes(1500, 2);
  const auto second = random_hashes(2500, 3);
  AnyFilter filter = empty_filter(shape);
  AnyFilter other = empty_filter(shape);
  AnyFilter both = empty_filter(shape);
  Model model(shape);
  Model other_model(shape);
  for (const auto hash : first) model.add(hash);
  for (const auto hash : second) other_model.add(hash);
  ASSERT_TRUE(filter.add_hashes(first) && other.add_hashes(second));
  ASSERT_TRUE(both.add_hashes(first) && both.add_hashes(second));
  ASSERT_TRUE(filter.unite(other.ref()));
  model.unite(other_model);
  EXPECT_EQ(bytes_of(filter), model.payload());
  EXPECT_EQ(bytes_of(filter), bytes_of(both));
  EXPECT_EQ(filter.facts().keys, 4000U);
}

TEST(Counting, FourteenAdditionsCanBeTakenBackAndTheFifteenthCannot) {
  AnyFilter filter = build_filter(spec_of(Kind::kCounting, 100, 0.01), 0);
  const auto empty = bytes_of(filter);
  for (int i = 0; i < 14; ++i) ASSERT_TRUE(filter.add("often"));
  for (int i = 0; i < 14; ++i) ASSERT_TRUE(filter.remove("often"));
  EXPECT_EQ(bytes_of(filter), empty);

  for (int i = 0; i < 15; ++i) ASSERT_TRUE(filter.add("often"));
  const auto saturated = bytes_of(filter);
  ASSERT_TRUE(filter.add("often"));
  EXPECT_EQ(bytes_of(filter), saturated);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(filter.remove("often"));
  EXPECT_EQ(bytes_of(filter), saturated);
  EXPECT_TRUE(filter.may_contain("often"));
}

class DropCounts : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Rates, DropCounts, ::testing::Values(0.3, 0.01, 0.0001, 1e-6));

TEST_P(DropCounts, IsTheBlockedFilterOfTheSameKeys) {
  for (const std::uint64_t keys : {0U, 1U, 1000U, 30000U}) {  // with 30000, many counters saturate
    FilterSpec spec = spec_of(Kind::kCounting, 1000, GetParam());
    spec.seed = keys + 7;
    AnyFilter counting = build_filter(spec, keys);
    spec.kind = Kind::kBlocked;
    const AnyFilter blocked = build_filter(spec, keys);
    const auto dropped = drop_counts(counting.ref());
    EXPECT_EQ(dropped->shape(), blocked.shape());
    EXPECT_EQ(dropped->facts(), blocked.facts());
    EXPECT_EQ(bytes_of(*dropped), bytes_of(blocked));
    EXPECT_EQ(counting.payload().size(), 4 * blocked.payload().size());

    const Stats stats = counting.ref().stats();
    const Stats expected = blocked.ref().stats();
    EXPECT_EQ(stats.bits, expected.bits);
    EXPECT_EQ(stats.bits_set, expected.bits_set);
    EXPECT_EQ(stats.current_fp_rate, expected.current_fp_rate);
    EXPECT_EQ(stats.cardinality, expected.cardinality);
  }
}

TEST(Counting, OnlyACountingFilterHasCountsToDrop) {
  const auto dropped = drop_counts(build_filter(Kind::kClassic, 10).ref());
  EXPECT_EQ(dropped.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(dropped.error().message, "kind must be counting, got classic");
}

class EveryCountingLevel : public ::testing::TestWithParam<Kernels> {};
INSTANTIATE_TEST_SUITE_P(Isa, EveryCountingLevel,
                         ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& level) { return std::string(level.param.isa); });

TEST_P(EveryCountingLevel, AnswersLikeScalar) {
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    for (const std::uint64_t blocks : {1U, 2U, 7U, 500U}) {
      const Shape shape = shape_of(probes, blocks);
      AnyFilter filter = empty_filter(shape);
      const auto added = random_hashes(400 * blocks / probes, probes);
      ASSERT_TRUE(filter.add_hashes(added));
      const View view{shape, filter.payload().data(), filter.payload().size()};
      ASSERT_EQ(count_found(filter.ref(), added), added.size());
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::counting, view, added), "");
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::counting, view, random_hashes(1000, probes + 100)), "");
    }
  }
}

// One counter is 0 among counters of every other value, in an unaligned payload.
TEST_P(EveryCountingLevel, SeesEveryCounterAtZero) {
  const auto hashes = random_hashes(40, 6);
  const auto values = random_hashes(512, 7);
  for (const unsigned probes : {1U, 8U, 9U, 16U}) {
    const Shape shape = shape_of(probes, 1);
    for (unsigned zero = 0; zero < 512; ++zero) {
      std::vector<std::byte> memory(1 + kCounterBlockBytes);
      for (unsigned position = 0; position < 512; ++position) {
        const std::uint64_t value = position == zero ? 0 : 1 + values[position] % 15;
        for (unsigned plane = 0; plane < 4; ++plane) {
          if ((value >> plane & 1) == 0) continue;
          memory[1 + plane * 64 + position / 8] |= static_cast<std::byte>(1U << (position % 8));
        }
      }
      const View view{shape, memory.data() + 1, kCounterBlockBytes};
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::counting, view, hashes), "");
    }
  }
}

}  // namespace
}  // namespace crivo::testing
