// Sorts hashes: a radix sort, three to six times faster than std::sort on evenly distributed hashes. It needs little
// memory besides the hashes, and O(n log n) time on uneven distributions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "build/build_task.h"
#include "crivo/host/hashed_value.h"
#include "crivo/host/sort.h"
#include "crivo/result.h"

namespace crivo {

/// Sorts in place, in ascending order. Allocates at most 256 KiB of scratch memory, or twice that for keys with values;
/// throws std::bad_alloc.
void sort_hashes(std::span<std::uint64_t> hashes);

/// The same with the task's threads, which allocate their scratch memory from task.memory(). Errors: kCancelled.
Result<void> sort_hashes(std::span<std::uint64_t> hashes, BuildTask& task);
Result<void> sort_hashes(std::span<HashedValue> keys, BuildTask& task);

/// Moves the distinct elements of sorted hashes to the front, and returns their number. Errors: kBadArgument if a key
/// has two different values.
Result<std::size_t> drop_repeated(std::span<std::uint64_t> hashes);
Result<std::size_t> drop_repeated(std::span<HashedValue> keys);

/// Moves the distinct hashes to the front, in ascending order, and returns their number; the elements after them are
/// unspecified. Advances the task's progress to kSortShare. Errors: kCancelled; those of drop_repeated.
Result<std::size_t> sort_distinct(std::span<std::uint64_t> hashes, BuildTask& task);
Result<std::size_t> sort_distinct(std::span<HashedValue> keys, BuildTask& task);

}  // namespace crivo
