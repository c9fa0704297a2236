// Shared by the tests of the ribbon kind.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "crivo/host/bytes.h"
#include "filters.h"
#include "kinds/ribbon/layout.h"
#include "reference.h"

namespace crivo::testing {

using Hashes = std::vector<std::uint64_t>;

inline FilterSpec ribbon_spec(std::size_t keys, double fp_rate, unsigned width) {
  return {.kind = Kind::kRibbon, .capacity = std::max<std::size_t>(1, keys), .fp_rate = fp_rate, .ribbon_width = width};
}

inline AnyFilter ribbon_of(const Hashes& hashes, double fp_rate, unsigned width) {
  return *AnyFilter::build(ribbon_spec(hashes.size(), fp_rate, width), hashes);
}

/// Tests of ribbons of both widths. The parameter is the width.
class RibbonOfWidth : public ::testing::TestWithParam<unsigned> {
 protected:
  static unsigned width() { return GetParam(); }
  [[nodiscard]] static AnyFilter ribbon_of(const Hashes& hashes, double fp_rate) {
    return testing::ribbon_of(hashes, fp_rate, width());
  }
};
inline const auto kWidths = ::testing::Values(kWideRibbon, kNarrowRibbon);

}  // namespace crivo::testing

namespace crivo::reference {

/// A lookup in a ribbon, bit by bit, written only from docs/format.md, "ribbon".
inline bool ribbon_contains(const FilterRef& filter, std::uint64_t hash) {
  const auto word = [&](std::uint64_t i) { return load_le<std::uint64_t>(filter.payload().data() + 8 * i); };
  const std::uint64_t levels = word(0) & 255;
  const std::uint64_t seed = word(0) >> 8 & 255;
  const std::uint64_t r = filter.shape().k;
  const std::uint64_t x = filter.shape().param % 32768;
  const std::uint64_t width = filter.shape().param < 32768 ? 64 : 32;
  const std::uint64_t f = hash * 0xD6E8FEB86659FD93 >> 32;
  std::uint64_t g = hash;
  std::uint64_t at = 1;
  for (std::uint64_t level = 0; level < levels; ++level) {
    const bool base = level + 1 == levels;
    if (base) {
      for (std::uint64_t i = 0; i < seed; ++i) g *= 0xD1342543DE82EF95;
    }
    const std::uint64_t blocks = word(at);
    const std::uint64_t threshold_words = base ? 0 : (64 * blocks / (2 * width) + 31) / 32;
    const std::uint64_t lean = blocks * (32768U - x) / 32768;
    const std::uint64_t start = reference::mulhi(g, 64 * blocks - width);
    const std::uint64_t bucket = start / (2 * width);
    const std::uint64_t kept_from[] = {0, 5 * width / 16, 5 * width / 8, 2 * width};
    if (!base && start % (2 * width) < kept_from[word(at + 1 + bucket / 32) >> (bucket % 32 * 2) & 3]) {
      g *= 0xD1342543DE82EF95;
      at += 1 + threshold_words + blocks * r + (blocks - lean);
      continue;
    }
    const std::uint64_t factor = 0xC28F82822B650BED;
    const std::uint64_t row = (g * factor ^ reference::mulhi(g, factor)) | 1;
    const std::uint64_t columns = r + (start / 64 >= lean ? 1 : 0);
    for (std::uint64_t column = 0; column < columns; ++column) {
      bool parity = false;
      for (std::uint64_t i = 0; i < width; ++i) {
        const std::uint64_t block = (start + i) / 64;
        const std::uint64_t before = 64 * (block * r + (block > lean ? block - lean : 0));
        const std::uint64_t in_block = r + (block >= lean ? 1 : 0);
        const std::uint64_t piece = (start + i) % 64 / width;  // a block is stored in pieces of `width` slots
        const std::uint64_t bit = before + width * (piece * in_block + column) + (start + i) % width;
        parity ^= (word(at + 1 + threshold_words + bit / 64) >> bit % 64 & 1) != 0 && (row >> i & 1) != 0;
      }
      if (parity != ((f >> column & 1) != 0)) return false;
    }
    return true;
  }
  return false;
}

}  // namespace crivo::reference
