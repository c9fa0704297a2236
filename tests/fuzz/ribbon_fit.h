// Makes ribbon payloads out of any bytes, and changes as few of them as the format demands (docs/format.md, "ribbon").
// Without this hardly any input of a fuzzer would be a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "kinds/ribbon/sizes.h"

namespace crivo::testing {

/// The bytes as they are, filled up to a multiple of 8; sets the shape's units to their number of words.
[[nodiscard]] std::vector<std::byte> ribbon_words(Shape& shape, std::span<const std::uint8_t> bytes);

/// Makes shape and payload valid: counts that do not fit are brought into their ranges, padding is cleared, what the
/// last level leaves is cut off, and what the smallest filter lacks is added. What is valid stays as it is. If
/// least_blocks is 1, levels of one block are left, which are too small, and all else is valid.
void fit_ribbon(Shape& shape, std::vector<std::byte>& payload, std::uint64_t least_blocks);

}  // namespace crivo::testing
