// Distributes independent calls over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace crivo {

/// Calls work(0) to work(count - 1), each once and in any order, on at most `threads` threads, including the caller's.
/// Returns when all calls have ended. After an exception no further call starts, and the first exception is rethrown
/// here. If the system cannot start a thread, the other threads do its share of the work.
void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace crivo
