#include "sizing/ribbon.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "sizing/checks.h"
#include "sizing/collisions.h"

namespace crivo {
namespace {

// The planned size assumes that one slot in 512 stays empty, and 48 slots of the last block. That is more than usual,
// so the plan is seldom too small.
constexpr std::uint64_t kEmptySlots = 512;
constexpr std::uint64_t kEmptyAtEnd = 48;

/// The share of a level's starts that are bumped, on average. The constants were measured at 2049 to 10^6 keys, where
/// the share is right to half a percent of the starts: one slot in 1700 stays empty, and 24 slots of the last block.
/// Starts that are bumped have more keys than others, because buckets with many keys bump more.
double bumped_starts(std::uint64_t keys, const RibbonLevelShape& level) noexcept {
  constexpr double kStartsPerKey = 0.92;
  const auto slots = static_cast<double>(level.slots());
  const double kept = slots - slots / 1700 - 24;
  return kStartsPerKey * std::max(0.0, 1 - kept / static_cast<double>(keys));
}

RibbonSize sized(std::uint64_t capacity, std::uint64_t column_shares) {
  const RibbonColumns columns(column_shares);
  return {ribbon_words(capacity, ribbon_columns_for(capacity, columns)), columns.lean,
          static_cast<unsigned>(columns.share)};
}

}  // namespace

std::uint64_t ribbon_base_blocks(std::uint64_t keys) noexcept {
  const std::uint64_t slots =
      keys + 8 + keys / 64;  // few slots to spare; still one of the first seeds gives a solution
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

double ribbon_level_rate(unsigned lean_columns, double lean_starts) noexcept {
  return std::ldexp(0.5 + 0.5 * lean_starts, -static_cast<int>(lean_columns));
}

double planned_ribbon_rate(std::uint64_t keys, const RibbonColumns& columns) noexcept {
  if (keys == 0) return 0;
  double rate = 0;
  double reached = 1;  // the share of hashes that all levels before this one have bumped
  while (keys > kRibbonBaseKeys) {
    const RibbonLevelShape level(ribbon_level_blocks(keys), columns, false);
    const double bumped = bumped_starts(keys, level);
    rate += reached * (1 - bumped) * ribbon_level_rate(columns.lean, level.lean_starts());
    reached *= bumped;
    keys = ribbon_keys_after(keys, level);
  }
  const RibbonLevelShape base(ribbon_base_blocks(keys), columns, true);
  return rate + reached * ribbon_level_rate(columns.lean, base.lean_starts());
}

RibbonColumns ribbon_columns_for(std::uint64_t keys, const RibbonColumns& wanted) noexcept {
  if (keys == 0 || wanted.share == 0) return wanted;
  const double rate = ribbon_fp_rate(wanted.lean, static_cast<unsigned>(wanted.share));
  const auto enough = [&](std::uint64_t shares) { return planned_ribbon_rate(keys, RibbonColumns(shares)) <= rate; };
  std::uint64_t low = wanted.column_shares();
  if (enough(low)) return wanted;
  std::uint64_t high = (wanted.lean + std::uint64_t{1}) * kRibbonShares;  // all rich
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return RibbonColumns(high);
}

double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept {
  return std::ldexp(1.0 - rich_share / (2.0 * kRibbonShares), -static_cast<int>(columns));
}

Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate) {
  const Result<double> hash_rate = check_request(capacity, fp_rate);
  if (!hash_rate) return hash_rate.error();
  const double least = std::ldexp(1.0, -int{kMaxRibbonColumns});
  if (*hash_rate < least) {
    return error(ErrorCode::kBadArgument, "fp_rate must be at least ",
                 with_collisions(least, static_cast<double>(capacity)), " for a ribbon of ", capacity, " keys, got ",
                 fp_rate);
  }
  const int columns = -std::ilogb(*hash_rate) - (std::ldexp(1.0, std::ilogb(*hash_rate)) != *hash_rate);
  const double rich = 2 * (1 - std::ldexp(*hash_rate, columns));  // 2^-r (1 - rich / 2) is the rate
  const auto shares = static_cast<std::uint64_t>(std::ceil(rich * kRibbonShares));
  return sized(capacity, static_cast<std::uint64_t>(columns) * kRibbonShares + shares);
}

Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  std::uint64_t enough = 1;  // the most columns that fit, found by bisection
  std::uint64_t too_many = std::uint64_t{kMaxRibbonColumns} * kRibbonShares + 1;
  const double words = static_cast<double>(capacity) * bits_per_key / 64;
  while (too_many - enough > 1) {
    const std::uint64_t middle = enough + (too_many - enough) / 2;
    (static_cast<double>(sized(capacity, middle).units) <= words ? enough : too_many) = middle;
  }
  return sized(capacity, enough);
}

}  // namespace crivo
