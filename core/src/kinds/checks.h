// What kinds share to turn a spec into a shape: checks of its fields, and errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// Checks that a capacity lies in 1..kMaxCapacity. Errors: kBadArgument.
Result<void> check_capacity(std::uint64_t capacity);
/// Checks that a rate lies in (0, 1). Errors: kBadArgument.
Result<void> check_fp_rate(double fp_rate);
/// Checks both, and that the rate is above capacity * 2^-64, the rate at which different keys have the same 64-bit
/// hash. Returns the rate at which absent hashes may be found, which a size has to meet. Errors: kBadArgument.
Result<double> check_request(std::uint64_t capacity, double fp_rate);
/// Checks that bits per key lie in (0, 1000]. Errors: kBadArgument.
Result<void> check_bits_per_key(double bits_per_key);

/// Sets an option to the number that a text is, from 1 on and in decimal digits, or to its default for no text. Returns
/// false for any other text.
[[nodiscard]] bool read_option(unsigned& option, unsigned by_default, std::string_view text) noexcept;

/// What to do about a filter that is full: the end of such an error.
inline constexpr std::string_view kHowToGetRoom = "; give it a larger capacity, or take the kind scalable, which grows";

/// The error kTooLarge: these keys need more bytes than the limit allows.
[[nodiscard]] Error keys_too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed);

}  // namespace crivo
