#include "sizing/ribbon.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/sizing.h"
#include "sizing/checks.h"

namespace crivo {
namespace {

// For the planned size, which is seldom too small: one slot in 512 stays empty, and 48 slots of the last block.
constexpr std::uint64_t kEmptySlots = 512;
constexpr std::uint64_t kEmptyAtEnd = 48;

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

std::uint64_t ribbon_base_blocks(std::uint64_t keys) noexcept {
  const std::uint64_t slots = keys + 8 + keys / 64;  // few slots to spare, yet one of the first seeds will do
  return std::max(kMinRibbonBlocks, (slots + kRibbonBlockSlots - 1) / kRibbonBlockSlots);
}

std::uint64_t ribbon_keys_after(std::uint64_t keys, const RibbonLevelShape& level) noexcept {
  return keys - std::min(keys, level.slots() - level.slots() / kEmptySlots) + kEmptyAtEnd;
}

std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept {
  // 16 keys for 15 slots: with the thresholds of the format, less than one slot in a thousand stays empty.
  return std::max(kMinRibbonBlocks, keys / 16 * 15 / kRibbonBlockSlots);
}

std::uint64_t ribbon_words(std::uint64_t keys, const RibbonColumns& columns) noexcept {
  if (keys == 0) return 1;
  std::uint64_t words = 1;
  while (keys > kRibbonBaseKeys) {
    const RibbonLevelShape level(ribbon_level_blocks(keys), columns, false);
    words += level.words();
    keys = ribbon_keys_after(keys, level);
  }
  return words + RibbonLevelShape(ribbon_base_blocks(keys), columns, true).words();
}

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
