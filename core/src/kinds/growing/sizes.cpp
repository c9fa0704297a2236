#include "kinds/growing/sizes.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "base/portable.h"
#include "kinds/checks.h"
#include "kinds/growing/form.h"

namespace crivo {
namespace {

double size_per_key(unsigned bits) noexcept {
  return 8.0 * GroupBytes(bits).all / keys_of_group(bits, kMaxGrowingLevel);
}

}  // namespace

// When a group is split, all cells are in use, and the last cell of each group is half full on average.
double keys_of_group(unsigned bits, unsigned level) noexcept {
  return (GroupBytes(bits).cells - 0.5) * LevelForm(bits, level).per_cell;
}

double growing_fp_rate(double keys, unsigned bits) noexcept {
  const auto chance = [&](unsigned level) { return std::ldexp(1.0, -static_cast<int>(std::max(bits + level, 32U))); };
  double expected_matches = 0;
  double before = 0;
  for (unsigned level = 0; keys > before; ++level) {
    const double next =
        std::ldexp(keys_of_group(bits, std::min(level + 1, kMaxGrowingLevel)), static_cast<int>(level) + 1);
    const double share = level == 0 ? 1 : 0.5;  // the share of the added keys whose group is not split yet
    const double added = std::min(keys, next) - before;
    expected_matches += added * (share * chance(level) + (1 - share) * chance(level + 1));
    before = next;
  }
  return -portable::expm1(-expected_matches);
}

Result<unsigned> growing_bits(std::uint64_t capacity, double fp_rate) {
  const Result<double> wanted = check_request(capacity, fp_rate);
  if (!wanted.has_value()) return wanted.error();
  const auto keys = static_cast<double>(capacity);
  for (unsigned bits = kMinGrowingBits; bits <= kMaxGrowingBits; ++bits) {
    if (growing_fp_rate(keys, bits) <= *wanted) return bits;
  }
  return bad_argument("fp_rate must be at least ", growing_fp_rate(keys, kMaxGrowingBits), ", which ", kMaxGrowingBits,
                      " bits of each key give, got ", fp_rate);
}

Result<unsigned> growing_bits_by_size(std::uint64_t capacity, double bits_per_key) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  unsigned bits = kMaxGrowingBits;
  while (bits >= kMinGrowingBits && size_per_key(bits) > bits_per_key) --bits;
  if (bits >= kMinGrowingBits) return bits;
  return bad_argument("bits_per_key must be at least ", size_per_key(kMinGrowingBits), ", which ", kMinGrowingBits,
                      " bits of each key take, got ", bits_per_key);
}

}  // namespace crivo
