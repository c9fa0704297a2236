// The numbers people type, read strictly: the whole text, or an error that names the option.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/result.h"

namespace crivo::tool {

/// 1 to 2^40; "1e6" will do.
[[nodiscard]] Result<std::uint64_t> parse_capacity(std::string_view text);
/// In (0, 1).
[[nodiscard]] Result<double> parse_fpr(std::string_view text);
/// 0 to 1024.
[[nodiscard]] Result<unsigned> parse_threads(std::string_view text);
/// Any 64-bit integer; a negative one is read as two's complement, as in SQL.
[[nodiscard]] Result<std::uint64_t> parse_seed(std::string_view text);

/// At least 1; K, M, G or T stands for a power of 1024: "4G".
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace crivo::tool
