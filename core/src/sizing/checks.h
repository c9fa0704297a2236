// Checks whether the arguments that the sizing functions share lie in their ranges.
#pragma once

#include <cstdint>

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

}  // namespace crivo
