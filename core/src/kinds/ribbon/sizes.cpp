#include "kinds/ribbon/sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"

namespace crivo {
namespace {

/// Measured properties of a width's levels, for 2049 to 10^6 keys.
struct Fill {
  // One slot in `empty_one_in` stays empty, and so do `empty_at_end` slots at the level's end.
  double empty_one_in;
  double empty_at_end;
  // The planned size assumes more empty slots, so it is seldom too small.
  std::uint64_t planned_empty_one_in;
  std::uint64_t planned_empty_at_end;
  // Bumped starts have more keys than other starts, because buckets with many keys bump more.
  double bumped_starts_per_key;
};
constexpr Fill kWideFill{1700, 24, 512, 48, 0.92};
constexpr Fill kNarrowFill{125, 16, 112, 100, 0.877};
constexpr const Fill& fill_of(unsigned width) noexcept { return width == kWideRibbon ? kWideFill : kNarrowFill; }

/// The mean share of a level's starts that are bumped, accurate to half a percent of the starts.
double bumped_starts(std::uint64_t keys, const RibbonLevelShape& level) noexcept {
  const Fill& fill = fill_of(level.width);
  const auto slots = static_cast<double>(level.slots());
  const double kept = slots - slots / fill.empty_one_in - fill.empty_at_end;
  return fill.bumped_starts_per_key * std::max(0.0, 1 - kept / static_cast<double>(keys));
}

RibbonSize sized(std::uint64_t capacity, const RibbonForm& form) {
  return {ribbon_words(capacity, ribbon_form_for(capacity, form)), form.lean, static_cast<unsigned>(form.share)};
}

Result<void> check_width(unsigned width) {
  if (width == kWideRibbon || width == kNarrowRibbon) return {};
  return bad_argument("ribbon width must be 64 or 32, got ", width);
}

}  // namespace

std::uint64_t ribbon_base_blocks(std::uint64_t keys, unsigned width) noexcept {
  // There are few spare slots, but one of the first seeds gives a solution.
  const std::uint64_t slots = keys + 8 + keys / (width == kWideRibbon ? 64 : 24);
  return std::max(kMinRibbonBlocks, (slots + kRibbonBlockSlots - 1) / kRibbonBlockSlots);
}

std::uint64_t ribbon_keys_after(std::uint64_t keys, const RibbonLevelShape& level) noexcept {
  const Fill& fill = fill_of(level.width);
  return keys - std::min(keys, level.slots() - level.slots() / fill.planned_empty_one_in) + fill.planned_empty_at_end;
}

std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept {
  // 16 keys per 15 slots: with the format's thresholds, less than one slot in a thousand stays empty, or one in 125 for
  // a narrow ribbon.
  return std::max(kMinRibbonBlocks, keys / 16 * 15 / kRibbonBlockSlots);
}

std::uint64_t ribbon_words(std::uint64_t keys, const RibbonForm& form) noexcept {
  if (keys == 0) return 1;
  std::uint64_t words = 1;
  while (keys > ribbon_base_keys(form.width)) {
    const RibbonLevelShape level(ribbon_level_blocks(keys), form, false);
    words += level.words();
    keys = ribbon_keys_after(keys, level);
  }
  return words + RibbonLevelShape(ribbon_base_blocks(keys, form.width), form, true).words();
}

double ribbon_level_rate(unsigned lean_columns, double lean_share) noexcept {
  return std::ldexp(0.5 + 0.5 * lean_share, -static_cast<int>(lean_columns));
}

double planned_ribbon_rate(std::uint64_t keys, const RibbonForm& form) noexcept {
  if (keys == 0) return 0;
  double rate = 0;
  double reached = 1;  // the share of hashes that all earlier levels bumped
  while (keys > ribbon_base_keys(form.width)) {
    const RibbonLevelShape level(ribbon_level_blocks(keys), form, false);
    const double bumped = bumped_starts(keys, level);
    rate += reached * (1 - bumped) * ribbon_level_rate(form.lean, level.lean_share());
    reached *= bumped;
    keys = ribbon_keys_after(keys, level);
  }
  const RibbonLevelShape base(ribbon_base_blocks(keys, form.width), form, true);
  return rate + reached * ribbon_level_rate(form.lean, base.lean_share());
}

RibbonForm ribbon_form_for(std::uint64_t keys, const RibbonForm& wanted) noexcept {
  if (keys == 0 || wanted.share == 0) return wanted;
  const double rate = ribbon_fp_rate(wanted.lean, static_cast<unsigned>(wanted.share));
  const auto enough = [&](std::uint64_t shares) { return planned_ribbon_rate(keys, {wanted.width, shares}) <= rate; };
  std::uint64_t low = wanted.column_shares();
  if (enough(low)) return wanted;
  std::uint64_t high = (wanted.lean + std::uint64_t{1}) * kRibbonShares;  // all rich
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return {wanted.width, high};
}

double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept {
  return std::ldexp(1.0 - rich_share / (2.0 * kRibbonShares), -static_cast<int>(columns));
}

Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate, unsigned width) {
  if (auto valid = check_width(width); !valid) return valid.error();
  const Result<double> hash_rate = check_request(capacity, fp_rate);
  if (!hash_rate.has_value()) return hash_rate.error();
  const double least = std::ldexp(1.0, -int{kMaxRibbonColumns});
  if (*hash_rate < least) {
    return bad_argument("fp_rate must be at least ", with_collisions(least, static_cast<double>(capacity)),
                        " for a ribbon of ", counted_keys(capacity), ", got ", fp_rate);
  }
  const int columns = -std::ilogb(*hash_rate) - (std::ldexp(1.0, std::ilogb(*hash_rate)) != *hash_rate);
  const double rich = 2 * (1 - std::ldexp(*hash_rate, columns));  // 2^-r (1 - rich / 2) is the rate
  const auto shares = static_cast<std::uint64_t>(std::ceil(rich * kRibbonShares));
  return sized(capacity, {width, static_cast<std::uint64_t>(columns) * kRibbonShares + shares});
}

Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key, unsigned width) {
  if (auto valid = check_width(width); !valid) return valid.error();
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  std::uint64_t enough = 1;  // the most columns that fit, by bisection
  std::uint64_t too_many = std::uint64_t{kMaxRibbonColumns} * kRibbonShares + 1;
  const double words = static_cast<double>(capacity) * bits_per_key / 64;
  while (too_many - enough > 1) {
    const std::uint64_t middle = enough + (too_many - enough) / 2;
    (static_cast<double>(sized(capacity, {width, middle}).units) <= words ? enough : too_many) = middle;
  }
  return sized(capacity, {width, enough});
}

}  // namespace crivo
