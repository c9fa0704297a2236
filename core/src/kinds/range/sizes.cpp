#include "kinds/range/sizes.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "kinds/checks.h"

namespace crivo {
namespace {

/// The smallest scale whose universe has at least per_key numbers per key; per_key >= 1.
RangeScale scale_of(double per_key, unsigned length_bits) noexcept {
  const auto low_bits = static_cast<unsigned>(std::ilogb(per_key));
  const double share = std::ceil((std::ldexp(per_key, -static_cast<int>(low_bits)) - 1) * kRangeShares);
  if (share < kRangeShares) return {low_bits, static_cast<unsigned>(share), length_bits};
  return {low_bits + 1, 0, length_bits};
}

/// The maximum size of the universe per key.
double most_per_key(std::uint64_t capacity) noexcept {
  return std::min(0x1p62, static_cast<double>(kMaxRangeUniverse) / static_cast<double>(capacity));
}

}  // namespace

double range_fp_rate(double length, double keys, double universe) noexcept {
  return std::min(1.0, keys * length / universe);
}

Result<RangeScale> size_range(std::uint64_t capacity, double fp_rate, unsigned length_bits) {
  const Result<double> rate = check_request(capacity, fp_rate);
  if (!rate.has_value()) return rate.error();
  const double length = std::ldexp(1.0, static_cast<int>(length_bits));
  const double most = most_per_key(capacity);
  if (length / *rate <= most) return scale_of(length / *rate, length_bits);
  return bad_argument("fp_rate must be at least ", length / most, " for ranges of ", length, " numbers and ",
                      counted_keys(capacity), ", got ", fp_rate);
}

Result<RangeScale> fit_range(std::uint64_t capacity, double bits_per_key, unsigned length_bits) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  // A key needs its lower bits, a one in `upper`, and 1 to 2 zeros there (one zero per bucket).
  constexpr double kUpperBit = 1 + 64.0 / kRangeDirectoryBits;  // with its share of the directory
  const double low_bits = std::max(0.0, std::floor(bits_per_key - 2 * kUpperBit));
  const double share = std::floor(((bits_per_key - low_bits) / kUpperBit - 2) * kRangeShares);
  const double per_key =
      std::ldexp(1 + std::clamp(share / kRangeShares, 0.0, 1.0), static_cast<int>(std::min(low_bits, 62.0)));
  return scale_of(std::min(per_key, most_per_key(capacity)), length_bits);
}

}  // namespace crivo
