// Whether what is asked for lies in its range: the arguments that the sizing functions share.
#pragma once

#include <cstdint>

#include "crivo/result.h"

namespace crivo {

/// A capacity lies in 1..kMaxCapacity. Errors: kBadArgument.
Result<void> check_capacity(std::uint64_t capacity);
/// A rate lies in (0, 1). Errors: kBadArgument.
Result<void> check_fp_rate(double fp_rate);
/// Both, and the rate is above capacity * 2^-64, where 64-bit hashes of different keys coincide too often. The rate
/// that is left for hashes that differ: what a size is to meet. Errors: kBadArgument.
Result<double> check_request(std::uint64_t capacity, double fp_rate);
/// Bits per key lie in (0, 1000]. Errors: kBadArgument.
Result<void> check_bits_per_key(double bits_per_key);

}  // namespace crivo
