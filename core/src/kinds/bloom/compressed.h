// Sizes of classic filters with the smallest blob. They have more bits in memory, of which a smaller share is set, than
// an optimal Bloom filter of the same rate.
#pragma once

#include <cstdint>

#include "crivo/host/sizing.h"
#include "crivo/result.h"

namespace crivo {

/// The limit of bits per key in memory for the compressed sizing. Without it there is no best filter: the blob shrinks
/// as k falls below 1 and the memory grows without bound. With the best k, at most 64, a
/// classic filter has at most 93 bits per key.
inline constexpr double kMaxCompressedBitsPerKey = 128;

/// The bits per key of a classic filter's blob at capacity, without the header: (m / n) H(1 - e^(-kn/m)) if it is
/// stored compressed (docs/format.md, "Which codec"), else m / n. The codec adds up to 2%. Source: Mitzenmacher 2002,
/// "Compressed Bloom filters", section 3.
[[nodiscard]] double stored_bits_per_key(double bits_per_key, unsigned probes) noexcept;

/// The classic filter with the smallest blob, by stored_bits_per_key, that meets the rate at capacity in at most
/// kMaxCompressedBitsPerKey. Errors: as size_classic. Source: Mitzenmacher 2002.
[[nodiscard]] Result<FilterSize> size_compressed(std::uint64_t capacity, double fp_rate);

/// The classic filter with the lowest rate at capacity whose blob has `stored_bits` per key, within the same memory
/// limit (or stored_bits, if that is more). Errors: kBadArgument for a capacity outside 1..kMaxCapacity or bits outside
/// (0, 1000].
[[nodiscard]] Result<FilterSize> size_compressed_by_bits(std::uint64_t capacity, double stored_bits);

}  // namespace crivo
