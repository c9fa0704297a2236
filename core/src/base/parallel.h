// Work for several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace crivo {

/// Calls work(0) to work(count - 1), each once, in any order, on at most `threads` threads, of which the caller's is
/// one; returns when all have ended. After an exception no further call starts, and the first is thrown again here.
/// Threads that cannot be started are done without.
void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace crivo
