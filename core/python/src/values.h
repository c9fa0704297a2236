// The values of a map's keys: an array of integers, which is read in place, or any iterable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo.h"
#include "items.h"
#include "python.h"

namespace crivo::python {

class Values {
 public:
  Values() = default;
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  /// Call once. False with an exception if `values` cannot be iterated over.
  [[nodiscard]] bool open(PyObject* values);
  [[nodiscard]] bool is_array() const { return items_ != Items::kUnknown; }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(view_.shape[0]); }  // arrays only

  /// Writes the next `count` values. False with an exception, also if fewer values are left.
  [[nodiscard]] bool read_next(size_t count, uint64_t* values);
  /// Writes the next `count` values, which the array must have. Needs no GIL. CRIVO_BAD_ARGUMENT for a negative value.
  [[nodiscard]] crivo_status read_items(size_t count, uint64_t* values, crivo_error* error);
  /// Call after the last key. False with an exception if there are more values.
  [[nodiscard]] bool end();

 private:
  Py_buffer view_{};
  Items items_ = Items::kUnknown;  // of an array, whose items are integers
  Ref iterator_;                   // of any other iterable
  size_t next_ = 0;
};

}  // namespace crivo::python
