// Multi-threaded additions. The filter's blocks are divided into one range per thread. Each thread scans all hashes and
// adds those of its range. Scanning a hash takes a fraction of the time of adding one. No thread waits for another, and
// the result has the same bytes as with one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/math128.h"
#include "build/build_task.h"
#include "build/parallel.h"

namespace crivo {

/// Payloads of at least this size are larger than most caches, so most additions wait for memory.
inline constexpr std::size_t kFarBytes = std::size_t{64} << 20;

/// The number of threads worth starting for this many hashes, at most task.threads().
inline std::size_t threads_worth(std::size_t hashes, const BuildTask& task) noexcept {
  // The minimum per thread. Starting a thread takes a tenth of the time of adding this many hashes.
  constexpr std::size_t kMinHashes = std::size_t{1} << 16;
  return std::clamp<std::size_t>(hashes / kMinHashes, 1, task.threads());
}

/// Calls add(hashes) on the task's threads, with all hashes in batches. The block of a hash is mulhi(hash, blocks). One
/// thread adds all hashes of a block, in order.
template <class Add>
void add_in_parts(std::uint64_t blocks, std::span<const std::uint64_t> hashes, BuildTask& task, const Add& add) {
  constexpr std::size_t kPiece = std::size_t{1} << 15;
  const std::uint64_t parts = std::min<std::uint64_t>(threads_worth(hashes.size(), task), blocks);
  if (parts == 1) return add(hashes);
  parallel_for(task.threads(), static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto lowest_of = [&](std::uint64_t i) { return least_with_mulhi(i * (blocks / parts), blocks); };
    const std::uint64_t lowest = lowest_of(part);
    const std::uint64_t width = (part + 1 == parts ? UINT64_MAX : lowest_of(part + 1) - 1) - lowest;
    std::pmr::vector<std::uint64_t> own(kPiece, task.memory());
    std::size_t count = 0;
    for (const std::uint64_t hash : hashes) {
      // Stored without a branch, which would be mispredicted. The next hash overwrites a hash of another range.
      own[count] = hash;
      count += hash - lowest <= width ? 1 : 0;
      if (count < kPiece) continue;
      add(std::span<const std::uint64_t>(own));
      count = 0;
    }
    add(std::span<const std::uint64_t>(own).first(count));
  });
}

}  // namespace crivo
