// A paged filter and the same filter in memory must give the same answers and have the same bytes.
#include "crivo/host/paged_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/math128.h"
#include "crivo/filter.h"
#include "memory_pages.h"

namespace crivo {
namespace {

/// The payload that these pages form.
std::vector<std::byte> payload_of(const PagedFilter& filter, MemoryPages& pages) {
  std::vector<std::byte> bytes;
  for (std::uint64_t number = 0; number < filter.pages(); ++number) {
    const std::vector<std::byte> zeros(filter.bytes_of(number));
    const auto& from = pages.read(number) != nullptr ? pages.all()[number].bytes : zeros;
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  return bytes;
}

struct Case {
  const char* kind;
  std::uint64_t capacity;
  double rate;
  std::size_t page_bytes;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.kind << " " << c.capacity << " in " << c.page_bytes; }

class PagedFilterTest : public testing::TestWithParam<Case> {
 protected:
  static AnyFilter in_memory() {
    FilterSpec spec{.capacity = GetParam().capacity, .fp_rate = GetParam().rate, .seed = 7};
    EXPECT_TRUE(choose_kind(spec, GetParam().kind));
    return *AnyFilter::create(spec);
  }
  static std::uint64_t key(std::uint64_t i) { return hash_key(std::to_string(i), 7); }
};

TEST_P(PagedFilterTest, IsTheFilterInMemory) {
  AnyFilter whole = in_memory();
  const Result<PagedFilter> paged = PagedFilter::open(whole.shape(), GetParam().page_bytes);
  MemoryPages pages(*paged);
  EXPECT_EQ(paged->counts(), whole.ref().kind().can.count);
  const std::uint64_t keys = std::min<std::uint64_t>(GetParam().capacity, 3000);
  for (std::uint64_t i = 0; i < keys; ++i) {
    EXPECT_EQ(paged->may_contain_hash(key(i), pages), whole.ref().may_contain_hash(key(i)));
    for (std::uint64_t times = 0; times <= i % 3; ++times) {
      ASSERT_EQ(paged->add_hash(key(i), pages)->is_new, !whole.ref().may_contain_hash(key(i)));
      ASSERT_TRUE(whole.add(std::to_string(i)));
    }
    ASSERT_TRUE(paged->may_contain_hash(key(i), pages));
  }
  EXPECT_TRUE(std::ranges::equal(payload_of(*paged, pages), whole.payload()));
  for (std::uint64_t i = 0; i < 2 * keys; ++i) {
    ASSERT_EQ(paged->may_contain_hash(key(i), pages), whole.ref().may_contain_hash(key(i)));
    const auto counted = paged->count_hash(key(i), pages);
    ASSERT_EQ(counted.has_value(), whole.ref().kind().can.count);
    if (counted.has_value()) {
      ASSERT_EQ(*counted, *whole.ref().count_hash(key(i)));
    }
  }
  for (std::uint64_t i = 0; i < keys; i += 2) {
    const auto removed = paged->remove_hash(key(i), pages);
    ASSERT_EQ(removed.has_value(), whole.ref().kind().can.remove);
    if (removed.has_value()) {
      ASSERT_EQ(*removed, *whole.ref().count_hash(key(i)));
      ASSERT_TRUE(whole.remove(std::to_string(i)));
    }
  }
  EXPECT_TRUE(std::ranges::equal(payload_of(*paged, pages), whole.payload()));
}

class PagedUnionTest : public PagedFilterTest {};

TEST_P(PagedUnionTest, IsTheUnionInMemory) {
  AnyFilter whole = in_memory();
  AnyFilter other = in_memory();
  const PagedFilter paged = *PagedFilter::open(whole.shape(), GetParam().page_bytes);
  MemoryPages pages(paged);
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(whole.add(std::to_string(i)));
    ASSERT_TRUE(paged.add_hash(key(i), pages).has_value());
    ASSERT_TRUE(other.add(std::to_string(i + 10)));
  }
  for (std::uint64_t page = 0; page < paged.pages(); ++page) {
    paged.unite_page(page, pages.write(page).bytes, other.payload().data() + page * GetParam().page_bytes);
  }
  ASSERT_TRUE(whole.unite(other.ref()));
  EXPECT_TRUE(std::ranges::equal(payload_of(paged, pages), whole.payload()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, PagedFilterTest,
                         testing::Values(Case{"blocked", 1, 0.5, 64}, Case{"blocked", 5000, 0.01, 64 * 63},
                                         Case{"blocked", 3000, 1e-9, 64 * 7}, Case{"counting", 5000, 0.01, 256 * 15},
                                         Case{"counting", 1, 0.01, 256 * 15}, Case{"spectral", 5000, 0.01, 4032},
                                         Case{"spectral:4", 10, 1e-9, 8}, Case{"spectral:32", 1000, 0.01, 504},
                                         Case{"classic", 5000, 0.01, 4096}, Case{"classic", 10, 0.01, 8}));

INSTANTIATE_TEST_SUITE_P(Kinds, PagedUnionTest,
                         testing::Values(Case{"blocked", 500, 0.01, 64}, Case{"counting", 500, 0.01, 256 * 15}));

TEST(PagedFilter, SaturatesCountersAndLosesNoKey) {
  constexpr std::uint64_t kMax = 15;  // the largest value of a 4-bit counter
  for (const char* kind : {"spectral:4", "counting"}) {
    FilterSpec spec{.capacity = 100};
    ASSERT_TRUE(choose_kind(spec, kind));
    AnyFilter whole = *AnyFilter::create(spec);
    const PagedFilter paged = *PagedFilter::open(whole.shape(), PagedFilter::granularity(whole.shape()));
    MemoryPages pages(paged);
    for (std::uint64_t key = 1; key <= 40; ++key) {  // key i is added i times
      const std::uint64_t hash = key * kGolden64;
      for (std::uint64_t times = 0; times < key; ++times) {
        ASSERT_TRUE(paged.add_hash(hash, pages).has_value());
        ASSERT_TRUE(whole.add_hash(hash));
      }
    }
    for (std::uint64_t key = 1; key <= 40; ++key) {
      const std::uint64_t counted = *paged.count_hash(key * kGolden64, pages);
      EXPECT_GE(counted, std::min(key, kMax)) << kind << " " << key;
      EXPECT_LE(counted, kMax) << kind << " " << key;
    }
    EXPECT_TRUE(std::ranges::equal(payload_of(paged, pages), whole.payload())) << kind;
  }
}

TEST(PagedFilter, WritesNoPageIfNothingChanges) {
  for (const char* kind : {"blocked", "classic"}) {
    FilterSpec spec{.capacity = 1000};
    ASSERT_TRUE(choose_kind(spec, kind));
    const PagedFilter paged = *PagedFilter::open(AnyFilter::create(spec)->shape(), 512);
    MemoryPages pages(paged);
    EXPECT_TRUE(paged.add_hash(12345, pages)->is_new);
    const int writes = pages.writes;
    EXPECT_FALSE(paged.add_hash(12345, pages)->is_new);
    EXPECT_EQ(pages.writes, writes) << kind;
  }
}

TEST(PagedFilter, LeavesAKeyThatMayBeThereAloneIfToldTo) {
  for (const char* kind : {"blocked", "classic", "counting", "spectral"}) {
    FilterSpec spec{.capacity = 1000};
    ASSERT_TRUE(choose_kind(spec, kind));
    const PagedFilter paged = *PagedFilter::open(AnyFilter::create(spec)->shape(), 512);
    MemoryPages pages(paged);
    EXPECT_TRUE(paged.add_hash(12345, pages, true)->is_new) << kind;
    const int writes = pages.writes;
    EXPECT_FALSE(paged.add_hash(12345, pages, true)->is_new) << kind;
    EXPECT_EQ(pages.writes, writes) << kind;
  }
}

TEST(PagedFilter, RefusesWhatCannotLieInPages) {
  const Shape blocked = AnyFilter::create({.capacity = 1000})->shape();
  for (const std::size_t bytes : {0U, 1U, 63U, 65U}) {
    const auto opened = PagedFilter::open(blocked, bytes);
    ASSERT_FALSE(opened) << bytes;
    EXPECT_EQ(opened.error().message, "page bytes must be a multiple of 64 above 0, got " + std::to_string(bytes));
  }
  const Shape growing = AnyFilter::create({.kind = Kind::kGrowing, .capacity = 1000})->shape();
  const std::size_t granule = PagedFilter::granularity(growing);
  EXPECT_EQ(PagedFilter::open(growing, 2 * granule).error().message,
            "page bytes must be " + std::to_string(granule) + ", got " + std::to_string(2 * granule));
  FilterSpec cuckoo{.kind = Kind::kCuckoo, .capacity = 1000};
  const auto opened = PagedFilter::open(AnyFilter::create(cuckoo)->shape(), 4096);
  EXPECT_EQ(opened.error().message,
            "kind must support pages (classic, blocked, counting, spectral, growing, window), got cuckoo");
  Shape forged = blocked;
  forged.units = 0;
  EXPECT_FALSE(PagedFilter::open(forged, 64));
  forged = blocked;
  forged.k = 17;
  EXPECT_FALSE(PagedFilter::open(forged, 64));
}

}  // namespace
}  // namespace crivo
