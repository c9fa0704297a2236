// How many bits a growing filter keeps of each key, and what follows from them.
#pragma once

#include <cstdint>

#include "crivo/result.h"

namespace crivo {

/// The rate after this many keys were added and none was removed, which is the highest at that number of keys: a
/// question meets an entry with probability 2^-(bits of the hash that the entry and its group's address have), which
/// are F more than the level of the group when the key was added. In each doubling half of the keys find their group
/// split already. Source: derived here; for tables that double at once, Dayan, Bercea, Reviriego & Pagh 2023,
/// "InfiniFilter", section 4.
[[nodiscard]] double growing_fp_rate(double keys, unsigned bits) noexcept;

/// Keys of a group on average, of those that were split as late as there was room.
[[nodiscard]] double keys_of_group(unsigned bits, unsigned level) noexcept;

/// The fewest bits whose growing_fp_rate at `capacity` keys is at most fp_rate. Errors: kBadArgument naming the field.
[[nodiscard]] Result<unsigned> growing_bits(std::uint64_t capacity, double fp_rate);
/// The most bits to keep of a key for which the filter takes bits_per_key in all. Errors: kBadArgument.
[[nodiscard]] Result<unsigned> growing_bits_by_size(std::uint64_t capacity, double bits_per_key);

}  // namespace crivo
