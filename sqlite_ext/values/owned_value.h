// A SQL value that outlives the call that it came from.
#pragma once

#include <memory>
#include <new>

#include "values/boundary.h"

namespace crivo::sqlite {

struct FreeValue {
  void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
};
using OwnedValue = std::unique_ptr<sqlite3_value, FreeValue>;

/// Copies a value. Throws std::bad_alloc.
[[nodiscard]] inline OwnedValue copy_of(sqlite3_value* value) {
  OwnedValue copy(sqlite3_value_dup(value));
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

}  // namespace crivo::sqlite
