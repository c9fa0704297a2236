// Measures times, and the peak of allocated memory.
#pragma once

#include <cstddef>
#include <functional>

#include "times.h"

namespace crivo::bench {

/// The time that a call takes, in nanoseconds.
[[nodiscard]] double nanoseconds(const std::function<void()>& call);

/// The most bytes that were allocated at once, during a call, beyond what was there before it.
[[nodiscard]] std::size_t peak_bytes(const std::function<void()>& call);

}  // namespace crivo::bench
