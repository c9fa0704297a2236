// The window kind: the bytes of docs/format.md, keys at random times compared with a model, and forged payloads.
#include "crivo/host/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "crivo/host/bytes.h"
#include "crivo/host/paged_snapshot.h"
#include "crivo/kinds.h"
#include "filters.h"
#include "kinds/bloom/window_layout.h"
#include "matchers.h"
#include "memory_pages.h"

namespace crivo::testing {
namespace {

constexpr Time kPane = 1000;
constexpr Time kNow = 1'700'000'000'000;  // in November 2023

FilterSpec spec_of(unsigned panes, std::uint64_t capacity, double fp_rate = 1e-9) {
  return {.kind = Kind::kWindow, .capacity = capacity, .fp_rate = fp_rate, .window = panes * kPane, .panes = panes};
}

AnyFilter create(const FilterSpec& spec) { return *AnyFilter::create(spec); }

/// The payload that docs/format.md defines for these keys of each pane.
Bytes expected_payload(const Shape& shape, Time first_pane, std::uint64_t newest,
                       const std::map<std::uint64_t, std::vector<std::uint64_t>>& keys) {
  const std::uint64_t kept = shape.param + 1U;
  const std::uint64_t page = std::max<std::uint64_t>(1, 63 / kept);
  Bytes payload(64 + 64 * shape.units * kept);
  write_clock(payload.data(),
              {.pane_length = kPane, .panes = shape.param, .first_pane = first_pane, .generation = newest});
  for (std::uint64_t pane = newest < kept ? 0 : newest - kept + 1; pane <= newest; ++pane) {
    AnyFilter blocked = *AnyFilter::adopt({.kind = Kind::kBlocked, .k = shape.k, .units = shape.units},
                                          {.capacity = 1, .fp_rate = 0.5}, AlignedBytes(shape.units * 64));
    if (const auto found = keys.find(pane); found != keys.end()) (void)blocked.add_hashes(found->second);
    for (std::uint64_t block = 0; block < shape.units; ++block) {
      const std::uint64_t first = block / page * page;
      const std::uint64_t in_page = std::min(page, shape.units - first);
      const std::uint64_t place = first * kept + pane % kept * in_page + (block - first);
      std::copy_n(blocked.payload().begin() + static_cast<std::ptrdiff_t>(64 * block), 64,
                  payload.begin() + static_cast<std::ptrdiff_t>(64 + 64 * place));
    }
  }
  return payload;
}

TEST(WindowBytes, AreThoseOfTheFormatWhateverComesWhen) {
  std::mt19937_64 random(7);
  for (const unsigned panes : {1U, 2U, 7U, 8U, 30U, 62U, 63U, 256U}) {
    for (const std::uint64_t capacity : {1U, 40U, 3000U}) {
      AnyFilter filter = create(spec_of(panes, capacity));
      std::map<std::uint64_t, std::vector<std::uint64_t>> keys;
      std::uint64_t newest = 0;
      Time first_pane = -1;
      for (int step = 0; step < 40; ++step) {
        if (random() % 3 == 0) {  // forward by a few panes or by all of them, or backward
          const std::uint64_t by = random() % 4 == 0 ? random() % (2 * panes + 4) : random() % 3;
          const Time time = kNow + static_cast<Time>(newest + by) * kPane - static_cast<Time>(random() % 2 * kPane);
          ASSERT_TRUE(filter.advance(time));
          if (first_pane < 0) first_pane = time / kPane;
          newest = std::max(newest, static_cast<std::uint64_t>(std::max<Time>(0, time / kPane - first_pane)));
        }
        std::vector<std::uint64_t> come = random_hashes(random() % 20, random());
        ASSERT_TRUE(filter.add_hashes(come));
        keys[newest].insert(keys[newest].end(), come.begin(), come.end());
        ASSERT_TRUE(std::ranges::equal(filter.payload(), expected_payload(filter.shape(), first_pane, newest, keys)))
            << panes << " panes, " << capacity << " keys, step " << step;
      }
    }
  }
}

TEST(Window, FindsExactlyTheKeysOfItsPanes) {
  for (const unsigned panes : {1U, 3U, 8U, 100U}) {
    std::mt19937_64 random(panes);
    AnyFilter filter = create(spec_of(panes, 2000));
    std::map<std::uint64_t, Time> last;  // the last pane that has the key
    Time now = kNow;
    ASSERT_TRUE(filter.advance(now));
    for (int step = 0; step < 300; ++step) {
      if (random() % 4 == 0) now += static_cast<Time>(random() % (random() % 9 == 0 ? 3 * panes * kPane : kPane));
      ASSERT_TRUE(filter.advance(random() % 5 == 0 ? now - 10 * kPane : now));
      ASSERT_TRUE(filter.advance(now));
      const std::uint64_t hash = random() % 500 * 0x9E3779B97F4A7C15;
      ASSERT_TRUE(filter.add_hash(hash));
      last[hash] = now / kPane;
      std::vector<std::uint64_t> asked;
      for (const auto& [known, pane] : last) asked.push_back(known);
      const auto hits = std::make_unique<bool[]>(asked.size());
      filter.ref().may_contain_hashes(asked, {hits.get(), asked.size()});
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const bool is_kept = now / kPane - last[asked[i]] <= static_cast<Time>(panes);
        ASSERT_EQ(filter.ref().may_contain_hash(asked[i]), is_kept) << panes << " panes, step " << step;
        ASSERT_EQ(hits[i], is_kept);
      }
    }
  }
}

TEST(Window, GivesKeysFromBeforeTheFirstAdvanceItsTime) {
  AnyFilter filter = create(spec_of(4, 100));
  ASSERT_TRUE(filter.add("early"));
  ASSERT_TRUE(filter.advance(kNow));
  ASSERT_TRUE(filter.advance(kNow + 4 * kPane));
  EXPECT_TRUE(filter.may_contain("early"));
  ASSERT_TRUE(filter.advance(kNow + 5 * kPane));
  EXPECT_FALSE(filter.may_contain("early"));
  ASSERT_TRUE(filter.clear());
  ASSERT_TRUE(filter.add("early"));
  ASSERT_TRUE(filter.advance(0));  // clear() has reset the clock, so it may be set to 1970
  EXPECT_TRUE(filter.may_contain("early"));
}

TEST(Window, RefusesWhatIsNoTime) {
  AnyFilter filter = create(spec_of(4, 100));
  for (const Time time : {Time{-1}, INT64_MIN, kLastTime + 1, INT64_MAX}) {
    EXPECT_THAT(message_of(filter.advance(time)), StartsWith("time must be milliseconds since 1970"));
  }
  ASSERT_TRUE(filter.add("a"));
  EXPECT_TRUE(filter.advance(kLastTime));
  EXPECT_TRUE(filter.advance(kLastTime));
  EXPECT_TRUE(filter.may_contain("a"));
  EXPECT_EQ(message_of(create({.kind = Kind::kBlocked, .capacity = 1}).advance(1)),
            "kind must support advance (window), got blocked");
}

TEST(Window, SaysHowManyDifferentKeysItHas) {
  AnyFilter filter = create(spec_of(8, 80'000, 0.01));
  for (int pane = 0; pane < 20; ++pane) {
    ASSERT_TRUE(filter.advance(kNow + pane * kPane));
    ASSERT_TRUE(filter.add_hashes(random_hashes(5000, 1)));  // the same keys in each pane
    ASSERT_TRUE(filter.add_hashes(random_hashes(5000, 100 + static_cast<unsigned>(pane))));
  }
  EXPECT_NEAR(*filter.ref().stats().cardinality, 5000 + 9 * 5000, 1000);
}

TEST(Window, ThatIsFullStatesARateOfOne) {
  AnyFilter filter = create(spec_of(8, 2701, 0.01));
  ASSERT_TRUE(filter.add_hashes(random_hashes(200'000, 1)));
  EXPECT_EQ(filter.ref().stats().current_fp_rate, 1);
  EXPECT_FALSE(filter.ref().stats().cardinality);
}

// All panes are full, because the keys arrive evenly.
TEST(Window, KeepsItsRateWhenKeysComeEvenly) {
  for (const double fp_rate : {0.5, 0.01, 1e-4}) {
    for (const unsigned panes : {1U, 7U, 60U}) {
      const std::uint64_t in_pane = 60'000 / panes;
      AnyFilter filter = create(spec_of(panes, in_pane * panes, fp_rate));
      for (unsigned pane = 0; pane < 2 * panes + 2; ++pane) {
        ASSERT_TRUE(filter.advance(kNow + pane * kPane));
        ASSERT_TRUE(filter.add_hashes(random_hashes(in_pane, pane)));
      }
      const double stated = filter.ref().stats().current_fp_rate;
      EXPECT_LE(stated, 1.05 * fp_rate) << panes;
      EXPECT_GE(stated, 0.5 * fp_rate) << panes;
      const auto asked = random_hashes(1'000'000, 12345);
      EXPECT_NEAR(static_cast<double>(count_found(filter.ref(), asked)) / 1e6, stated,
                  0.03 * stated + 5 * std::sqrt(stated / 1e6));
      EXPECT_LE(filter.ref().predicted_fp_rate(static_cast<double>(in_pane * panes)), fp_rate);
    }
  }
}

TEST(Window, RefusesForgedClocks) {
  const AnyFilter filter = create(spec_of(4, 100));
  const auto forged = [&](std::size_t offset, std::uint64_t value) {
    AlignedBytes payload(filter.payload().begin(), filter.payload().end());
    store_le(payload.data() + offset, value);
    return AnyFilter::adopt(filter.shape(), filter.facts(), std::move(payload));
  };
  for (const std::uint64_t length : {std::uint64_t{0}, UINT64_MAX, static_cast<std::uint64_t>(kLastTime) + 1}) {
    EXPECT_THAT(message_of(forged(0, length)), StartsWith("window must have panes"));
  }
  EXPECT_THAT(message_of(forged(8, static_cast<std::uint64_t>(-2))), StartsWith("window must have panes"));
  EXPECT_THAT(message_of(forged(8, static_cast<std::uint64_t>(kLastTime))), StartsWith("window must have panes"));
  EXPECT_THAT(message_of(forged(16, static_cast<std::uint64_t>(kLastTime))), StartsWith("window must have panes"));
  // Each change alone is valid, but both together are not.
  AlignedBytes both(filter.payload().begin(), filter.payload().end());
  for (const std::size_t at : {8U, 16U}) store_le(both.data() + at, static_cast<std::uint64_t>(kLastTime / kPane));
  EXPECT_THAT(message_of(AnyFilter::adopt(filter.shape(), filter.facts(), std::move(both))),
              StartsWith("window must have panes"));
  EXPECT_THAT(message_of(forged(16, 1)), StartsWith("generation must be 0 before the clock is set, got 1"));
  EXPECT_THAT(message_of(forged(24, 1)), StartsWith("padding of the window's header must be 0"));
  EXPECT_THAT(message_of(forged(56, 1)), StartsWith("padding of the window's header must be 0"));
}

TEST(WindowSpec, TakesATimeAndANumberOfPanes) {
  const auto text_of = [](const std::string& text) {
    FilterSpec spec;
    const auto chosen = choose_kind(spec, text);
    return chosen ? kind_text(spec) : chosen.error().message;
  };
  EXPECT_EQ(text_of("window"), "window:86400/8");
  EXPECT_EQ(text_of("window:7 days"), "window:604800/8");
  EXPECT_EQ(text_of("window:7 DAYS/7"), "window:604800/7");
  EXPECT_EQ(text_of("window:1.5 hours/1"), "window:5400/1");
  EXPECT_EQ(text_of("window:90"), "window:90/8");
  EXPECT_EQ(text_of("window:2.007/1"), "window:2.007/1");
  EXPECT_EQ(text_of(text_of("window:0.008/8")), "window:0.008/8");
  for (const char* wrong : {"window:", "window:/8", "window:0", "window:-1 days", "window:7 moons", "window:7 days/",
                            "window:7 days/x", "window:nan", "window:101 years", "window:6000 weeks"}) {
    EXPECT_THAT(text_of(wrong), HasSubstr("kind window must be written alone or as window:<")) << wrong;
    EXPECT_THAT(text_of(wrong), HasSubstr("length up to 100 years, like '7 days' or seconds[/panes: 1 to 256]"))
        << wrong;
  }
  const auto refusal = [](const FilterSpec& spec) { return message_of(AnyFilter::create(spec)); };
  FilterSpec spec = spec_of(8, 100);
  spec.panes = 257;
  EXPECT_EQ(refusal(spec), "panes must be in [1, 256], got 257");
  spec.panes = 8;
  spec.window = 7;
  EXPECT_THAT(refusal(spec), StartsWith("window must be a length of time like '7 days'"));
  EXPECT_THAT(refusal({.kind = Kind::kWindow, .capacity = 0}), StartsWith("capacity must be in"));
  EXPECT_THAT(refusal({.kind = Kind::kWindow, .capacity = 1, .fp_rate = 1}), StartsWith("fp_rate must be"));
}

TEST(PaneLayoutOfBlocks, IsADivisionWithoutOne) {
  for (std::uint32_t panes = 1; panes <= 256; ++panes) {
    const std::uint64_t kept = panes + 1;
    const std::uint64_t page = std::max<std::uint64_t>(1, 63 / kept);
    for (const std::uint64_t blocks : {std::uint64_t{1}, page, page + 1, 3 * page - 1, kMaxBlocks / kept}) {
      const PaneLayout layout({.kind = Kind::kWindow, .param = static_cast<std::uint16_t>(panes), .units = blocks});
      for (const std::uint64_t from : {std::uint64_t{0}, page - 1, blocks / 2, blocks - 1}) {
        for (std::uint64_t block = from; block < std::min(from + 3, blocks); ++block) {
          const std::uint64_t first = block / page * page;
          const auto place = layout.place_of(block);
          ASSERT_EQ(place.offset, 64 + 64 * (first * kept + (block - first))) << panes << ", " << block;
          ASSERT_EQ(place.stride, 64 * std::min(page, blocks - first));
          ASSERT_LE(place.in(panes) + 64, layout.payload_bytes());
        }
      }
    }
  }
}

}  // namespace
}  // namespace crivo::testing
