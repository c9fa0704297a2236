// Reads the numbers that people type, strictly: the whole text must be a number, or the error names the option.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/result.h"

namespace crivo::tool {

/// Reads a capacity: an integer from 1 to 2^40, which may be written as "1e6".
[[nodiscard]] Result<std::uint64_t> parse_capacity(std::string_view text);
/// Reads a rate in (0, 1).
[[nodiscard]] Result<double> parse_fpr(std::string_view text);
/// Reads a number of threads from 0 to 1024.
[[nodiscard]] Result<unsigned> parse_threads(std::string_view text);
/// Reads a seed: any 64-bit integer. A negative one is taken as its two's complement, as in SQL.
[[nodiscard]] Result<std::uint64_t> parse_seed(std::string_view text);

/// Reads a number of bytes, at least 1. K, M, G or T behind it stands for a power of 1024: "4G". `name` is the
/// option's.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text, std::string_view name = "max-bytes");

}  // namespace crivo::tool
