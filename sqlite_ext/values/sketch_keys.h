// A value of SQL as the key of a sketch.
#pragma once

#include <cstdint>
#include <optional>

#include "crivo/sketch.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// Adds a key that is not NULL to a Sketch or PagedSketch, or removes it. Throws SqlError for a value of another type
/// than its keys have.
template <class AnySketch>
void change_sketch(AnySketch& sketch, sqlite3_value* value, bool add) {
  if (sketch.spec().keys == SketchKeys::kIntegers) {
    const std::optional<std::int64_t> integer = whole_number(value);
    if (!integer) throw SqlError{"key must be an integer in a sketch of integers, got " + shown(value)};
    const auto number = static_cast<std::uint64_t>(*integer);
    return unwrap(add ? sketch.add_numbers({&number, 1}) : sketch.remove_numbers({&number, 1}));
  }
  const int type = sqlite3_value_type(value);
  if (sketch.spec().keys == SketchKeys::kBytes && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)) {
    throw SqlError{"key must be a BLOB or a text in a sketch of bytes, got " + shown(value)};
  }
  const KeyBytes key(value);
  unwrap(add ? sketch.add(key.view()) : sketch.remove(key.view()));
}

}  // namespace crivo::sqlite
