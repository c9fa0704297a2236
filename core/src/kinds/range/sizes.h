// The size of a range filter. Source of all formulas: Costa, Ferragina & Vinciguerra 2024, "Grafite: Taming Adversarial
// Queries with Optimal Range Filters", section 3.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "kinds/range/layout.h"

namespace crivo {

/// The rate of a query of `length` numbers, for any keys and query: n length / r. Over all seeds, each key's code is in
/// the query's interval with probability at most length / r.
[[nodiscard]] double range_fp_rate(double length, double keys, double universe) noexcept;

/// The smallest universe for ranges of 2^length_bits numbers: r = n length / rate. The filter then needs log2(length /
/// rate) + 2 bits per key, plus at most 3% for its directory. Errors: kBadArgument for an invalid capacity or rate, or
/// a universe above 2^63 (above 2^62 for one key).
[[nodiscard]] Result<RangeScale> size_range(std::uint64_t capacity, double fp_rate, unsigned length_bits);
/// The largest universe with which the filter needs at most bits_per_key, plus a few words. The universe has at least
/// one number per key. Errors: kBadArgument.
[[nodiscard]] Result<RangeScale> fit_range(std::uint64_t capacity, double bits_per_key, unsigned length_bits);

}  // namespace crivo
