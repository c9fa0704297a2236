// Makes valid ribbon payloads from any bytes, with as few changes as the format requires (docs/format.md, "ribbon").
// Otherwise almost no input of a fuzzer would be a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "kinds/ribbon/sizes.h"

namespace crivo::testing {

/// The bytes unchanged, padded to a multiple of 8. Sets the shape's units to their number of words.
[[nodiscard]] std::vector<std::byte> ribbon_words(Shape& shape, std::span<const std::uint8_t> bytes);

/// Makes shape and payload valid. Moves counts into their ranges, clears padding, removes words after the last level,
/// and adds words that the smallest filter lacks. Leaves valid data unchanged. With a least_blocks of 1, it also leaves
/// levels of one block, which are too small.
void fit_ribbon(Shape& shape, std::vector<std::byte>& payload, std::uint64_t least_blocks);

}  // namespace crivo::testing
