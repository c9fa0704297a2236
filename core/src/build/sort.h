// Sorting hashes: a radix sort that is three to six times faster than std::sort on numbers that a hash function made,
// needs hardly any memory beside the hashes, and still takes O(n log n) on numbers that are spread unevenly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "build/build_task.h"
#include "crivo/host/hashed_value.h"
#include "crivo/host/sort.h"
#include "crivo/result.h"

namespace crivo {

/// Sorts in place, in ascending order. Takes at most 256 KiB of scratch memory, and twice that for keys with values;
/// throws std::bad_alloc.
void sort_hashes(std::span<std::uint64_t> hashes);

/// The same with the threads of a task. Each thread takes as much, from the task's memory. Errors: kCancelled.
Result<void> sort_hashes(std::span<std::uint64_t> hashes, BuildTask& task);
Result<void> sort_hashes(std::span<HashedValue> keys, BuildTask& task);

/// Moves the distinct ones of sorted hashes to the front, and returns their number. Errors: kBadArgument for a key of a
/// map that has two values.
Result<std::size_t> drop_repeated(std::span<std::uint64_t> hashes);
Result<std::size_t> drop_repeated(std::span<HashedValue> keys);

/// Moves the distinct hashes to the front, in ascending order, and returns their number; what lies behind them is of no
/// more use. Brings the task's progress to kSortShare. Errors: kCancelled; those of drop_repeated.
Result<std::size_t> sort_distinct(std::span<std::uint64_t> hashes, BuildTask& task);
Result<std::size_t> sort_distinct(std::span<HashedValue> keys, BuildTask& task);

}  // namespace crivo
