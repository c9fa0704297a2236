// Sorting hashes: a radix sort that is three to six times faster than std::sort on what hash functions make, needs
// hardly any memory beside the hashes, and stays O(n log n) on what they do not make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/build_task.h"
#include "crivo/result.h"

namespace crivo {

/// Ascending, in place. Takes at most 256 KiB of scratch memory.
void sort_hashes(std::span<std::uint64_t> hashes);

/// The same with a task's threads, each of which takes that much. Errors: kCancelled.
Result<void> sort_hashes(std::span<std::uint64_t> hashes, BuildTask& task);

/// Moves the distinct ones to the front, in ascending order, and says how many those are; the others are lost. Brings
/// the task's progress to kSortShare. Errors: kCancelled.
Result<std::size_t> sort_distinct(std::span<std::uint64_t> hashes, BuildTask& task);

}  // namespace crivo
