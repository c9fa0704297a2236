// Sketches of numbers, for the tests of sketches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "crivo/sketch.h"

namespace crivo::testing {

using Numbers = std::vector<std::uint64_t>;

inline Sketch sketch_of(const SketchSpec& spec, const Numbers& numbers) {
  Sketch sketch = *Sketch::create(spec);
  EXPECT_TRUE(sketch.add_numbers(numbers));
  return sketch;
}

inline Numbers numbers_of(const SketchedKeys& keys) {
  Numbers numbers;
  for (std::size_t i = 0; i < keys.size(); ++i) numbers.push_back(keys.number(i));
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace crivo::testing
