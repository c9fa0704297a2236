// Timing: interleaved rounds, medians, and the peak of what was allocated.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace crivo::bench {

/// Nanoseconds that a call takes.
[[nodiscard]] double nanoseconds(const std::function<void()>& call);

/// The middle of the samples, at least one.
[[nodiscard]] double median(std::vector<double> samples);

/// The most bytes that were allocated at once, during a call, beyond what was there before it.
[[nodiscard]] std::size_t peak_bytes(const std::function<void()>& call);

}  // namespace crivo::bench
