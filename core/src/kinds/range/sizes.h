// How large a range filter is. Source of all formulas: Costa, Ferragina & Vinciguerra 2024, "Grafite: Taming
// Adversarial Queries with Optimal Range Filters", section 3.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "kinds/range/layout.h"

namespace crivo {

/// The rate of a question for `length` numbers, whatever the keys and the question: n length / r, as over all seeds
/// each key's code lies in the interval of the question's codes with probability length / r at most.
[[nodiscard]] double range_fp_rate(double length, double keys, double universe) noexcept;

/// The smallest universe that keeps the rate for ranges of 2^length_bits numbers: r = n length / rate. The filter then
/// takes log2(length / rate) + 2 bits per key, and 3% more for its directory at most. Errors: kBadArgument for a
/// capacity or a rate that is not allowed, or a rate for which the universe would have to be above 2^63.
[[nodiscard]] Result<RangeScale> size_range(std::uint64_t capacity, double fp_rate, unsigned length_bits);
/// The largest universe with which the filter takes at most bits_per_key, but for some words; at least the number of
/// keys. Errors: kBadArgument.
[[nodiscard]] Result<RangeScale> fit_range(std::uint64_t capacity, double bits_per_key, unsigned length_bits);

}  // namespace crivo
