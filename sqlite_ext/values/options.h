// The options of bloom_create and bloom_agg (capacity, fp_rate, kind, seed), of the pair aggregates, and of sketches.
#pragma once

#include <span>

#include "crivo/sketch.h"
#include "values/value.h"

namespace crivo::sqlite {

inline constexpr int kOptions = 4;

/// Parses the options. A missing or NULL option gets its default; a capacity of 0 means "not given". Throws SqlError if
/// a value has the wrong type or is out of range.
[[nodiscard]] FilterSpec parse_options(std::span<sqlite3_value* const> args);

/// Parses the options of bloom_map_agg and bloom_exact_agg (fp_rate, seed); the rate may be 1.
[[nodiscard]] FilterSpec parse_pair_options(Kind kind, std::span<sqlite3_value* const> args);

inline constexpr int kSketchOptions = 4;
/// Parses the options of a sketch: (symbols, keys, first, seed).
[[nodiscard]] SketchSpec parse_sketch_options(std::span<sqlite3_value* const> args);
[[nodiscard]] std::uint64_t parse_seed(sqlite3_value* value);

/// Throws SqlError naming the first option that differs.
void require_same_options(const FilterSpec& first, const FilterSpec& later);

}  // namespace crivo::sqlite
