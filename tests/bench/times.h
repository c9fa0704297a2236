// How the benches take times: of the processor, which other programs on the machine disturb least, in rounds.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace crivo::bench {

/// What the process, or this thread, has taken of a processor, with what the system did for it.
[[nodiscard]] inline double processor_seconds(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The least processor time of some rounds.
[[nodiscard]] double least_seconds(int rounds, const auto& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

/// The median of the samples, of which there must be at least one.
[[nodiscard]] inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// The median, over the rounds, of one side's figure divided by the other's.
[[nodiscard]] inline double median_ratio(std::vector<double> ours, const std::vector<double>& theirs) {
  for (std::size_t round = 0; round < ours.size(); ++round) ours[round] /= theirs[round];
  return median(std::move(ours));
}

}  // namespace crivo::bench
