// The sizes of a ribbon's levels, for planning and for building.
#pragma once

#include <cstdint>

#include "kinds/ribbon/layout.h"

namespace crivo {

/// The base level gets the remaining keys when at most this many are left. The base has slots for all of them.
[[nodiscard]] constexpr std::uint64_t ribbon_base_keys(unsigned width) noexcept { return 32 * width; }

/// The number of blocks of the base level for this number of keys.
[[nodiscard]] std::uint64_t ribbon_base_blocks(std::uint64_t keys, unsigned width) noexcept;
/// The estimated number of keys that a level bumps, seldom too low.
[[nodiscard]] std::uint64_t ribbon_keys_after(std::uint64_t keys, const RibbonLevelShape& level) noexcept;
/// The number of blocks of any other level: too few for all keys, so that hardly any slot stays empty.
[[nodiscard]] std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept;
/// The mean rate for absent hashes in a level: 2^-r for a start in a lean block, half of that in a rich block.
[[nodiscard]] double ribbon_level_rate(unsigned lean_columns, double lean_share) noexcept;
/// The rate of a planned ribbon with this many distinct keys. It differs from ribbon_fp_rate of the columns, because no
/// key starts at a level's end, and a level of few blocks cannot mix lean and rich blocks in every ratio. Exact up to
/// ribbon_base_keys, and accurate to about 1% at 3000 keys and 0.1% at 10^5.
[[nodiscard]] double planned_ribbon_rate(std::uint64_t keys, const RibbonForm& form) noexcept;
/// The fewest columns, at least `wanted`, with which the rate of a ribbon of this many distinct keys is at most
/// ribbon_fp_rate(wanted).
[[nodiscard]] RibbonForm ribbon_form_for(std::uint64_t keys, const RibbonForm& wanted) noexcept;
/// The estimated payload words of a filter of this many distinct keys: close, and rarely too low.
[[nodiscard]] std::uint64_t ribbon_words(std::uint64_t keys, const RibbonForm& form) noexcept;

}  // namespace crivo
