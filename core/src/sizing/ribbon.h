// How large the levels of a ribbon are: the plan that its builder follows and its sizes are computed from.
#pragma once

#include <cstdint>

#include "layout/ribbon_layout.h"

namespace crivo {

/// The base level gets the keys that are left once there are at most this many; it finds a place for all of them.
inline constexpr std::uint64_t kRibbonBaseKeys = 2048;

/// Blocks of the base level for this number of keys.
[[nodiscard]] std::uint64_t ribbon_base_blocks(std::uint64_t keys) noexcept;
/// Keys that a level leaves to the next one, and seldom more.
[[nodiscard]] std::uint64_t ribbon_keys_after(std::uint64_t keys, const RibbonLevelShape& level) noexcept;
/// Blocks of a level that is not the base, for this number of keys: overloaded, so that hardly a slot stays empty.
[[nodiscard]] std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept;
/// Payload words that a filter of this number of distinct keys hardly ever exceeds, nor falls short of by much.
[[nodiscard]] std::uint64_t ribbon_words(std::uint64_t keys, const RibbonColumns& columns) noexcept;

}  // namespace crivo
