// Sizes and rates of the ribbon kind.
#include <algorithm>
#include <cmath>

#include "crivo/sizing.h"
#include "error_text.h"
#include "kinds/ribbon_build.h"
#include "kinds/ribbon_layout.h"
#include "sizing/checks.h"

namespace crivo {
namespace {

RibbonSize sized(std::uint64_t capacity, std::uint64_t column_shares) {
  RibbonSize size;
  size.columns = static_cast<unsigned>(column_shares / kRibbonShares);
  size.rich_share = static_cast<unsigned>(column_shares % kRibbonShares);
  Shape shape;
  shape.probes = static_cast<std::uint8_t>(size.columns);
  shape.param = static_cast<std::uint16_t>(size.rich_share);
  size.units = ribbon_words(capacity, RibbonColumns(shape));
  return size;
}

}  // namespace

double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept {
  return std::ldexp(1.0 - rich_share / (2.0 * kRibbonShares), -static_cast<int>(columns));
}

Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_fp_rate(fp_rate); !valid) return valid.error();
  if (fp_rate < std::ldexp(1.0, -int{kMaxRibbonColumns})) {
    return error(ErrorCode::kBadArgument, "fpr must be at least 2^-", kMaxRibbonColumns, " for a ribbon, got ",
                 fp_rate);
  }
  const int columns = -std::ilogb(fp_rate) - (std::ldexp(1.0, std::ilogb(fp_rate)) != fp_rate);
  const double rich = 2 * (1 - std::ldexp(fp_rate, columns));  // 2^-r (1 - rich / 2) = fp_rate
  const auto shares = static_cast<std::uint64_t>(std::ceil(rich * kRibbonShares));
  return sized(capacity, static_cast<std::uint64_t>(columns) * kRibbonShares + shares);
}

Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  std::uint64_t enough = 1;  // the most columns that fit, by bisection; no fewer than the least there can be
  std::uint64_t too_many = std::uint64_t{kMaxRibbonColumns} * kRibbonShares + 1;
  const double words = static_cast<double>(capacity) * bits_per_key / 64;
  while (too_many - enough > 1) {
    const std::uint64_t middle = enough + (too_many - enough) / 2;
    (static_cast<double>(sized(capacity, middle).units) <= words ? enough : too_many) = middle;
  }
  return sized(capacity, enough);
}

}  // namespace crivo
