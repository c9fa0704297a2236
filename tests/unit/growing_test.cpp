// The growing kind: the groups, entries and copies of docs/format.md, its rate at every size, and forged payloads.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crivo/host/paged_filter.h"
#include "crivo/host/paged_snapshot.h"
#include "crivo/kinds.h"
#include "filters.h"
#include "memory_pages.h"

namespace crivo::testing {
namespace {

FilterSpec spec_of(double fp_rate = 0.01, std::uint64_t capacity = 0) {
  return {.kind = Kind::kGrowing, .capacity = capacity, .fp_rate = fp_rate};
}

AnyFilter create(const FilterSpec& spec) { return *AnyFilter::create(spec); }

/// Maps an entry to its number of additions. The entry is identified by the stored leading bits of the hash, as text:
/// the bits of the group's number and of the entry.
using Entries = std::map<std::string, std::uint64_t>;

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;

std::string bits_of(std::uint64_t value, unsigned count) {
  std::string bits;
  for (unsigned i = count; i-- > 0;) bits += (value >> i & 1) != 0 ? '1' : '0';
  return bits;
}

/// Reads a payload bit by bit, as docs/format.md defines it.
class PageReader {
 public:
  explicit PageReader(const AnyFilter& filter)
      : payload_(filter.payload()), bits_(filter.shape().param), groups_(filter.shape().units) {
    while (std::uint64_t{2} << level_ <= groups_) ++level_;
    const std::uint64_t per_cell = 1024 / (bits_ - 6);
    const std::uint64_t cells = (400 + per_cell) / (2 * per_cell);
    const std::uint64_t named = (576 + per_cell - 1) / per_cell;
    header_ = (96 + 4 * named + 15) / 16 * 16;
    group_ = header_ + cells * 128;
  }

  [[nodiscard]] std::uint64_t expected_bytes() const { return 64 + groups_ * group_; }

  [[nodiscard]] Entries entries() const {
    Entries all;
    for (std::uint64_t group = 0; group < groups_; ++group) add_group(group, all);
    return all;
  }

 private:
  [[nodiscard]] std::uint64_t number(std::uint64_t bit, std::uint64_t count) const {
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned>(payload_[(bit + i) / 8]);
      value |= std::uint64_t{byte >> ((bit + i) % 8) & 1} << i;
    }
    return value;
  }

  void add_group(std::uint64_t group, Entries& all) const {
    const std::uint64_t split = groups_ - (std::uint64_t{1} << level_);
    const bool is_half = group < split || group >= std::uint64_t{1} << level_;
    const unsigned level = level_ + (is_half ? 1 : 0);
    const unsigned slot_bits = std::max(bits_, 32 - level) + 1 - 7;
    const std::uint64_t per_cell = 1024 / slot_bits;
    const std::uint64_t at = 64 + group * group_;
    std::string address = bits_of(group, level);
    std::ranges::reverse(address);

    const std::uint64_t slots = number(at * 8, 32);
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < slots; ++i) {
      const std::uint64_t cell = number((at + 96 + 4 * (i / per_cell)) * 8, 32) * 16;
      values.push_back(number(cell * 8 + i % per_cell * slot_bits, slot_bits));
    }
    std::uint64_t run = (at + 8) * 8;
    std::size_t slot = 0;
    for (unsigned bucket = 0; bucket < 128; ++bucket, ++run) {
      for (; number(run, 1) == 0; ++run) {
        std::string bits = address + bits_of(bucket, 7) + bits_of(values.at(slot++), slot_bits);
        bits.resize(bits.rfind('1'));
        std::uint64_t digits = 0;
        for (; number(run + 1, 1) == 0 && values.at(slot) == 0; ++slot, ++run) ++digits;
        std::uint64_t copies = digits == 0 ? 1 : 0;
        for (; digits != 0; --digits, ++run) copies = copies << (bits_ - 6) | values.at(slot++);
        all[bits] += copies;
      }
    }
  }

  std::span<const std::byte> payload_;
  unsigned bits_;
  std::uint64_t groups_;
  unsigned level_ = 0;
  std::uint64_t header_ = 0;
  std::uint64_t group_ = 0;
};

/// The entries that a filter must have, given its additions, its removals and its number of groups.
class Model {
 public:
  explicit Model(unsigned bits) : bits_(bits) {}

  void add(std::uint64_t hash, std::uint64_t copies, std::uint64_t groups) {
    hash *= kMultiplier;
    unsigned level = 0;
    while (std::uint64_t{2} << level <= groups) ++level;
    std::string address = bits_of(hash >> (63 - level), level + 1);  // of a half if the group was split
    std::uint64_t group = 0;
    for (unsigned i = 0; i < level; ++i) group |= std::uint64_t{address[i] == '1'} << i;
    if (group < groups - (std::uint64_t{1} << level)) ++level;
    const unsigned kept = level + std::max(bits_, 32 - level);
    entries_[bits_of(hash >> (64 - kept), kept)] += copies;
  }

  void remove(std::uint64_t hash) {
    const std::string bits = bits_of(hash * kMultiplier, 64);
    for (std::size_t length = 64; length > 0; --length) {
      const auto found = entries_.find(bits.substr(0, length));
      if (found == entries_.end()) continue;
      if (--found->second == 0) entries_.erase(found);
      return;
    }
  }

  [[nodiscard]] const Entries& entries() const { return entries_; }

 private:
  unsigned bits_;
  Entries entries_;
};

class GrowingWalk : public ::testing::TestWithParam<double> {};

// Random additions with copies, and fewer removals. The test compares all entries at intervals.
TEST_P(GrowingWalk, HasTheEntriesThatThePageDerives) {
  AnyFilter filter = create(spec_of(GetParam()));
  Model model(filter.shape().param);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> added;
  for (unsigned step = 0; step < 20'000; ++step) {
    const std::uint64_t die = random() % 100;
    if (die < 30 && !added.empty()) {
      std::swap(added[random() % added.size()], added.back());
      ASSERT_TRUE(filter.remove_hash(added.back()));
      model.remove(added.back());
      added.pop_back();
    } else {
      const std::uint64_t hash = die < 60 && !added.empty() ? added[random() % added.size()] : random();
      const std::uint64_t copies = die < 98 ? 1 : 1 + random() % 300;
      ASSERT_TRUE(copies == 1 ? filter.add_hash(hash) : filter.add_hash_times(hash, copies));
      model.add(hash, copies, filter.shape().units);
      added.insert(added.end(), copies, hash);
    }
    if (step % 4000 != 0 && step % 997 != 0) continue;
    ASSERT_EQ(PageReader(filter).entries(), model.entries()) << step;
    ASSERT_EQ(filter.payload().size(), PageReader(filter).expected_bytes());
    ASSERT_TRUE(FilterRef::open(filter.shape(), filter.facts(), filter.payload())) << step;
    for (const std::uint64_t hash : added) ASSERT_TRUE(filter.ref().may_contain_hash(hash));
  }
  EXPECT_GT(filter.shape().units, 16U);
}

INSTANTIATE_TEST_SUITE_P(Rates, GrowingWalk, ::testing::Values(0.5, 0.01, 1e-4, 2.4e-10));

TEST(Growing, CountsAsAMultisetDoes) {
  AnyFilter filter = create(spec_of(1e-6));
  std::map<std::uint64_t, std::uint64_t> all;
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> hashes(3000);
  std::ranges::generate(hashes, random);
  for (unsigned step = 0; step < 1'000'000; ++step) {
    const std::uint64_t hash = hashes[random() % hashes.size()];
    if (random() % 2 == 0) {
      ASSERT_TRUE(filter.add_hash(hash));
      ++all[hash];
    } else if (all[hash] > 0) {
      ASSERT_TRUE(filter.remove_hash(hash));
      --all[hash];
    } else {
      ASSERT_EQ(filter.remove_hash(hash).error().code, ErrorCode::kNotFound);
    }
  }
  for (const auto& [hash, copies] : all) EXPECT_EQ(*filter.ref().count_hash(hash), copies);
  EXPECT_GT(filter.shape().units, 1U);
}

TEST(Growing, CountsCopiesWithoutALimit) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (const double fp_rate : {0.5, 0.01, 2.4e-10}) {
    AnyFilter filter = create(spec_of(fp_rate));
    for (const std::uint64_t times : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{300}, std::uint64_t{1} << 40}) {
      const std::uint64_t before = *filter.ref().count_hash(7);
      ASSERT_TRUE(filter.add_hash_times(7, times));
      EXPECT_EQ(*filter.ref().count_hash(7), before + times);
      ASSERT_TRUE(filter.remove_hash(7));
      EXPECT_EQ(*filter.ref().count_hash(7), before + times - 1);
      ASSERT_TRUE(FilterRef::open(filter.shape(), filter.facts(), filter.payload()));
    }
    ASSERT_TRUE(filter.add_hash_times(7, kMax));
    EXPECT_EQ(*filter.ref().count_hash(7), kMax);
    ASSERT_TRUE(filter.remove_hash(7));  // a saturated counter stays: the count is "at least that many"
    EXPECT_EQ(*filter.ref().count_hash(7), kMax);
  }
}

class GrowingPromise : public ::testing::TestWithParam<double> {};

// X counts the false positives among T absent keys. With a rate of p, X exceeds T p + 4.75 sqrt(T p (1 - p)) once in a
// million runs.
TEST_P(GrowingPromise, HoldsWhileItGrowsAThousandfold) {
  constexpr std::uint64_t kAbsent = 400'000;
  const double fp_rate = GetParam();
  AnyFilter filter = create(spec_of(fp_rate));
  const auto hashes = present_hashes(1'000'000, 0);
  const auto absent = absent_hashes(kAbsent, 0);
  std::size_t from = 0;
  for (std::size_t size = 1000; size <= hashes.size(); size *= 10) {
    ASSERT_TRUE(filter.add_hashes(std::span(hashes).subspan(from, size - from)));
    from = size;
    EXPECT_EQ(count_found(filter.ref(), {hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(size)}), size);
    const auto found = static_cast<double>(count_found(filter.ref(), absent));
    EXPECT_LE(found, kAbsent * fp_rate + 4.75 * std::sqrt(kAbsent * fp_rate * (1 - fp_rate))) << size;
    const double at_fill = filter.ref().stats().current_fp_rate;
    EXPECT_NEAR(found, kAbsent * at_fill, 4.75 * std::sqrt(kAbsent * at_fill * (1 - at_fill)) + 1) << size;
    EXPECT_NEAR(filter.ref().predicted_fp_rate(static_cast<double>(size)), at_fill, 0.1 * at_fill) << size;
  }
  EXPECT_LE(filter.ref().predicted_fp_rate(4294967296.0), fp_rate);
}

INSTANTIATE_TEST_SUITE_P(Rates, GrowingPromise, ::testing::Values(0.5, 0.01, 1e-4));

TEST(Growing, TakesAtMost32BitsForAKeyAtATenThousandth) {
  AnyFilter filter = create(spec_of(1e-4));
  const auto hashes = present_hashes(300'000, 0);
  for (std::size_t from = 0; from < hashes.size(); from += 10'000) {
    ASSERT_TRUE(filter.add_hashes(std::span(hashes).subspan(from, 10'000)));
    EXPECT_LE(8.0 * static_cast<double>(filter.payload().size()), 32.0 * static_cast<double>(from + 10'000));
  }
}

TEST(Growing, PromisesTheSameRateWithTheDefaultCapacity) {
  const auto rate = [](std::uint64_t capacity) {
    return create({.kind = Kind::kGrowing, .capacity = capacity, .bits_per_key = 24}).facts().fp_rate;
  };
  EXPECT_GT(rate(0), 1e-4);
  EXPECT_EQ(rate(0), rate(std::uint64_t{1} << 32));
}

TEST(Growing, RefusesAGroupThatHasNoRoom) {
  AnyFilter filter = create(spec_of());
  std::uint64_t inverse = kMultiplier;  // the inverse modulo 2^64, by Newton's iteration
  for (unsigned i = 0; i < 6; ++i) inverse *= 2 - kMultiplier * inverse;
  const auto crowded = [&](std::uint64_t key) { return (key << 36) * inverse; };  // hashes with the same first 11 bits
  Result<void> added;
  std::uint64_t keys = 0;
  while (added && keys < 100'000) {
    added = filter.add_hash(crowded(keys));
    if (added) ++keys;
  }
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kFull);
  EXPECT_NE(added.error().message.find("slots of a group must be at most 576, got one more"), std::string::npos)
      << added.error().message;
  EXPECT_GT(keys, 200U);  // entries are longer in the first levels, and use several slots
  EXPECT_EQ(filter.facts().keys, keys);
  for (std::uint64_t key = 0; key < keys; ++key) EXPECT_TRUE(filter.ref().may_contain_hash(crowded(key)));
  EXPECT_TRUE(FilterRef::open(filter.shape(), filter.facts(), filter.payload()));
}

// After any bit is flipped, the filter is rejected, or it stays sound through lookups, additions and removals.
TEST(Growing, SurvivesEveryBitThatIsFlipped) {
  AnyFilter filter = create(spec_of());
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 200; ++i) ASSERT_TRUE(filter.add_hash_times(random(), 1 + random() % 5));
  std::size_t taken = 0;
  for (std::size_t bit = 0; bit < filter.payload().size() * 8; ++bit) {
    AlignedBytes payload(filter.payload().begin(), filter.payload().end());
    payload[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    auto forged = AnyFilter::adopt(filter.shape(), filter.facts(), std::move(payload));
    if (!forged) {
      EXPECT_EQ(forged.error().code, ErrorCode::kCorrupt);
      continue;
    }
    ++taken;
    for (unsigned i = 0; i < 20; ++i) {
      const std::uint64_t hash = random();
      ASSERT_TRUE(forged->add_hash(hash));
      ASSERT_TRUE(forged->ref().may_contain_hash(hash));
      ASSERT_TRUE(forged->remove_hash(hash));
    }
    EXPECT_TRUE(FilterRef::open(forged->shape(), forged->facts(), forged->payload())) << bit;
  }
  EXPECT_GT(taken, 0U);  // flipped bits of entries give valid filters
}

AnyFilter snapshot_of(const PagedFilter& filter, MemoryPages& pages) {
  PagedSnapshot snapshot(filter);
  for (const auto& [number, stored] : pages.all()) snapshot.count(number, stored.page);
  const std::uint64_t bytes = snapshot.payload_bytes();
  snapshot.start();
  for (const auto& [number, stored] : pages.all()) snapshot.put(number, stored.page);
  AnyFilter whole = *snapshot.finish({.capacity = 1, .fp_rate = 0.5}, UINT64_MAX);
  EXPECT_EQ(whole.payload().size(), bytes);
  return whole;
}

class GrowingPages : public ::testing::TestWithParam<double> {};

// Also interrupts every third split before the split page is shortened.
TEST_P(GrowingPages, HaveTheKeysOfAMultiset) {
  const Shape shape = *PagedFilter::plan(spec_of(GetParam()));
  PagedFilter filter = *PagedFilter::open(shape, PagedFilter::granularity(shape));
  MemoryPages pages(filter);
  std::map<std::uint64_t, std::uint64_t> all;
  std::vector<std::uint64_t> hashes;
  std::mt19937_64 random(4);
  unsigned splits = 0;
  for (unsigned step = 0; step < 60'000; ++step) {
    if (random() % 3 == 0 && !hashes.empty()) {
      std::swap(hashes[random() % hashes.size()], hashes.back());
      const auto before = filter.remove_hash(hashes.back(), pages);
      ASSERT_TRUE(before.has_value() && *before >= all[hashes.back()]);
      --all[hashes.back()];
      hashes.pop_back();
    } else {
      const std::uint64_t hash = random() % 10 == 0 && !hashes.empty() ? hashes[random() % hashes.size()] : random();
      const Result<Added> added = filter.add_hash(hash, pages);
      ASSERT_TRUE(added.has_value());
      hashes.push_back(hash);
      ++all[hash];
      if (!added->is_crowded) continue;
      filter = filter.with_a_page_more();
      const std::uint64_t lower = filter.pages() - 1 - std::bit_floor(filter.pages() - 1);
      const auto before = pages.read(lower) != nullptr ? pages.all()[lower].bytes : std::vector<std::byte>();
      filter.split(pages);
      if (++splits % 3 == 0 && !before.empty()) std::ranges::copy(before, pages.write(lower).bytes);
    }
    if (step % 7919 != 0) continue;
    for (const auto& [number, stored] : pages.all()) ASSERT_TRUE(filter.is_sound(number, stored.bytes.data()));
    const AnyFilter whole = snapshot_of(filter, pages);
    for (const auto& [hash, copies] : all) {
      ASSERT_GE(*filter.count_hash(hash, pages), copies);
      ASSERT_EQ(*filter.count_hash(hash, pages), *whole.ref().count_hash(hash));
    }
  }
  EXPECT_GT(splits, 30U);
  for (const std::uint64_t hash : hashes) ASSERT_TRUE(filter.remove_hash(hash, pages).has_value());
  EXPECT_EQ(snapshot_of(filter, pages).ref().stats().cardinality, 0);
}

INSTANTIATE_TEST_SUITE_P(Rates, GrowingPages, ::testing::Values(0.5, 0.01, 1e-4, 2.4e-10));

}  // namespace
}  // namespace crivo::testing
