// Ribbon payloads out of any bytes, changed as little as the format wants (docs/format.md, "ribbon"): else hardly an
// input of a fuzzer would be a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "sizing/ribbon.h"

namespace crivo::testing {

/// Bytes as they are, up to a multiple of 8, and the shape's units to go with them.
[[nodiscard]] std::vector<std::byte> ribbon_words(Shape& shape, std::span<const std::uint8_t> bytes);

/// Makes shape and payload valid: counts that do not fit are brought into their ranges, padding is cleared, what the
/// last level leaves is cut off, and what the smallest filter lacks is added. What is valid stays as it is. With
/// levels of one block allowed, which are too small, everything but them is valid.
void fit_ribbon(Shape& shape, std::vector<std::byte>& payload, std::uint64_t least_blocks);

}  // namespace crivo::testing
