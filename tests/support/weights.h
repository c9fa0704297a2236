// What a random walk may do next, each with a weight.
#pragma once

#include <cstdint>

namespace crivo::testing {

template <class Step>
struct Weighted {
  std::uint64_t weight;
  Step step;
};

/// One of the steps, drawn by `below(n)`, a random number below n.
[[nodiscard]] const auto& drawn_step(const auto& steps, const auto& below) {
  std::uint64_t sum = 0;
  for (const auto& each : steps) sum += each.weight;
  std::uint64_t drawn = below(sum);
  auto at = steps.begin();
  for (; drawn >= at->weight; ++at) drawn -= at->weight;
  return *at;
}

}  // namespace crivo::testing
