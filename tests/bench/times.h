// CPU times in rounds, because other programs affect CPU times least.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace crivo::bench {

/// The CPU time of the process or of this thread, including the system's work for it.
[[nodiscard]] inline double processor_seconds(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The lowest CPU time of several rounds.
[[nodiscard]] double least_seconds(int rounds, const auto& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

/// The median of the samples. There must be at least one sample.
[[nodiscard]] inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// The median over the rounds of one side's figure divided by the other side's.
[[nodiscard]] inline double median_ratio(std::vector<double> ours, const std::vector<double>& theirs) {
  for (std::size_t round = 0; round < ours.size(); ++round) ours[round] /= theirs[round];
  return median(std::move(ours));
}

}  // namespace crivo::bench
