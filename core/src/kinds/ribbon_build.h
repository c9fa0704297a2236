// From all its hashes to a ribbon payload: sizes, banding, bumping, back-substitution.
#pragma once

#include <cstdint>
#include <span>

#include "build_task.h"
#include "crivo/filter.h"
#include "kinds/ribbon_layout.h"

namespace crivo {

/// Blocks of a level that is not the base, for so many keys: overloaded, so that hardly a slot stays empty.
[[nodiscard]] std::uint64_t ribbon_level_blocks(std::uint64_t keys) noexcept;
/// Payload words that a filter of so many distinct keys hardly ever exceeds, nor falls short of by much.
[[nodiscard]] std::uint64_t ribbon_words(std::uint64_t keys, const RibbonColumns& columns) noexcept;

/// The payload for these hashes, at least one, any order, repeated ones allowed; the same set gives the same bytes.
/// Needs no copy of distinct hashes in ascending order. Errors: kBadArgument for a set that has no solution at any size
/// we try, which takes hashes made for it; kCancelled.
Result<AlignedBytes> build_ribbon(const RibbonColumns& columns, std::span<const std::uint64_t> hashes, BuildTask& task);

}  // namespace crivo
