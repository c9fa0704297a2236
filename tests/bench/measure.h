// Measures times and peak memory.
#pragma once

#include <cstddef>
#include <functional>

#include "times.h"

namespace crivo::bench {

/// The time of a call, in nanoseconds.
[[nodiscard]] double nanoseconds(const std::function<void()>& call);

/// The peak of the bytes that a call allocates, in addition to those allocated before.
[[nodiscard]] std::size_t peak_bytes(const std::function<void()>& call);

}  // namespace crivo::bench
