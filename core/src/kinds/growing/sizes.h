// The number of bits per entry of a growing filter, and the rate and size that follow.
#pragma once

#include <cstdint>

#include "crivo/result.h"

namespace crivo {

/// The rate after this many additions. A filter that holds this many keys after removals has at most this rate. A query
/// matches an entry with probability 2^-b. b is the number of hash bits in the entry and its group's address:
/// max(32, `bits` + the group's level when the key was added). While the number of groups doubles, on average half of
/// the added keys fall into a group that is already split. Source: derived here; for tables that double in one step,
/// Dayan, Bercea, Reviriego & Pagh 2023, "InfiniFilter", section 4.
[[nodiscard]] double growing_fp_rate(double keys, unsigned bits) noexcept;

/// The average number of keys per group if groups are split as late as the cells allow.
[[nodiscard]] double keys_of_group(unsigned bits, unsigned level) noexcept;

/// The fewest bits per entry with which growing_fp_rate at `capacity` keys is at most fp_rate. Errors: kBadArgument
/// naming the field.
[[nodiscard]] Result<unsigned> growing_bits(std::uint64_t capacity, double fp_rate);
/// The most bits per entry with which the filter fits in bits_per_key. Errors: kBadArgument.
[[nodiscard]] Result<unsigned> growing_bits_by_size(std::uint64_t capacity, double bits_per_key);

}  // namespace crivo
