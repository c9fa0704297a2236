// Sizes of classic filters with the smallest blob. Such a filter usually has more bits in memory than an optimal Bloom
// filter of the same rate, and a smaller share of them is set.
#pragma once

#include <cstdint>

#include "crivo/host/sizing.h"
#include "crivo/result.h"

namespace crivo {

/// The maximum number of bits per key in memory for the compressed sizing. Without this limit, k = 1 would give the
/// smallest blob, with about 1 / fp_rate bits per key in memory. A classic filter with the best k, at most 64, has at
/// most 93 bits per key.
inline constexpr double kMaxCompressedBitsPerKey = 128;

/// The bits per key of a classic filter's blob at capacity, without the header: (m / n) H(1 - e^(-kn/m)) if the blob is
/// compressed (docs/format.md, "Which codec"), else m / n. The codec adds up to 2%. Source: Mitzenmacher 2002,
/// "Compressed Bloom filters", section 3.
[[nodiscard]] double stored_bits_per_key(double bits_per_key, unsigned probes) noexcept;

/// The classic filter with the smallest blob, by stored_bits_per_key, that meets the rate at capacity with at most
/// kMaxCompressedBitsPerKey bits per key in memory. Errors: as size_classic. Source: Mitzenmacher 2002.
[[nodiscard]] Result<FilterSize> size_compressed(std::uint64_t capacity, double fp_rate);

/// The classic filter with the lowest rate at capacity whose blob has at most `stored_bits` bits per key. In memory,
/// the filter has at most kMaxCompressedBitsPerKey bits per key, or `stored_bits` if that is more. Errors: kBadArgument
/// for a capacity outside 1..kMaxCapacity or bits outside (0, 1000].
[[nodiscard]] Result<FilterSize> size_compressed_by_bits(std::uint64_t capacity, double stored_bits);

}  // namespace crivo
