// The sizes of classic filters for the smallest blob: with more bits in memory, and a smaller share of them set, than
// an optimal Bloom filter of the same rate.
#pragma once

#include <cstdint>

#include "crivo/host/sizing.h"
#include "crivo/result.h"

namespace crivo {

/// The most bits per key that the compressed sizing lets a filter take in memory. Without a limit there is no best
/// filter: the blob would keep shrinking as k falls below 1 and the memory grows without bound. Any classic filter fits
/// in 93 bits per key.
inline constexpr double kMaxCompressedBitsPerKey = 128;

/// Bits per key that the blob of a classic filter takes at capacity, without the header, when the filter has
/// bits_per_key in memory: (m / n) H(1 - e^(-kn/m)) while it is stored compressed (docs/format.md, "Which codec"), else
/// m / n. The codec adds up to 2%. Source: Mitzenmacher 2002, "Compressed Bloom filters", section 3.
[[nodiscard]] double stored_bits_per_key(double bits_per_key, unsigned probes) noexcept;

/// The classic filter whose blob is the smallest, by stored_bits_per_key, of those that meet the rate at capacity in at
/// most kMaxCompressedBitsPerKey. Errors: as size_classic. Source: Mitzenmacher 2002.
[[nodiscard]] Result<FilterSize> size_compressed(std::uint64_t capacity, double fp_rate);

/// The classic filter whose rate at capacity is the lowest of those that are stored in `stored_bits` per key, within
/// the same memory (or stored_bits, where that is more). Errors: kBadArgument for a capacity outside 1..kMaxCapacity or
/// bits outside (0, 1000].
[[nodiscard]] Result<FilterSize> size_compressed_by_bits(std::uint64_t capacity, double stored_bits);

}  // namespace crivo
