// Checks and errors that the kinds share.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// Checks that a capacity is in 1..kMaxCapacity. Errors: kBadArgument.
Result<void> check_capacity(std::uint64_t capacity);
/// Checks the capacity, that the rate is in (0, 1), and that the rate is above capacity * 2^-64, the probability that
/// an absent key has the hash of an added key. Returns the rate that the size must meet for absent hashes:
/// without_collisions() of fp_rate. Errors: kBadArgument.
Result<double> check_request(std::uint64_t capacity, double fp_rate);
/// Checks that bits per key are in (0, 1000]. Errors: kBadArgument.
Result<void> check_bits_per_key(double bits_per_key);

/// Parses a decimal number of at least 1 into an option; an empty text gives the default. Returns false, with the
/// option unchanged, for any other text, and for an empty text if by_default is 0.
[[nodiscard]] bool read_option(unsigned& option, unsigned by_default, std::string_view text) noexcept;

/// Advice at the end of an error for a full filter.
inline constexpr std::string_view kCapacityHint = "; use a larger capacity, or the kind scalable, which grows";

/// The error kTooLarge for keys that need more bytes than the limit.
[[nodiscard]] Error keys_too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed);

}  // namespace crivo
