// The options that bloom_create and bloom_agg share: (capacity, fp_rate, kind, seed); and those of the
// aggregate functions for pairs, and of sketches.
#pragma once

#include <span>

#include "crivo/sketch.h"
#include "values/boundary.h"

namespace crivo::sqlite {

inline constexpr int kOptions = 4;

/// The options in these arguments; a missing or NULL one has its default, and capacity 0 means "not given".
/// Throws SqlError for a value of the wrong type or outside its range.
[[nodiscard]] FilterSpec parse_options(std::span<sqlite3_value* const> args);

/// The same for those of bloom_map_agg and bloom_exact_agg: (fp_rate, seed), where a rate of 1 is allowed.
[[nodiscard]] FilterSpec parse_pair_options(Kind kind, std::span<sqlite3_value* const> args);

inline constexpr int kSketchOptions = 4;
/// What a sketch is to be: (symbols, keys, first, seed).
[[nodiscard]] SketchSpec parse_sketch_options(std::span<sqlite3_value* const> args);
[[nodiscard]] std::uint64_t parse_seed(sqlite3_value* value);

/// Throws SqlError naming the first option that differs.
void require_same_options(const FilterSpec& first, const FilterSpec& later);

}  // namespace crivo::sqlite
