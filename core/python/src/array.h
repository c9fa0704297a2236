// Reads an array of keys in place, by Python's buffer protocol: NumPy, array.array, memoryview, ctypes.
//
// An array contains the same keys as a list of its items. items.h defines the items that can be read in place; arrays
// of other items are iterated over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "items.h"
#include "python.h"

namespace crivo::python {

class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { close(); }

  enum class Opened { kArray, kOther, kFailed };
  /// Call once. kOther: `keys` cannot be read in place, or the filter needs ordered numbers and the items may not be
  /// convertible. kFailed: `hashed` is set, but the items are not hashes; an exception is set.
  Opened open(PyObject* keys, bool hashed, const Hashing& hashing);

  [[nodiscard]] size_t size() const { return count_; }

  /// Writes the hashes of `count` items, starting at `first`. Needs no GIL. If another thread writes to the array
  /// meanwhile, some hashes may be of keys that never existed, but nothing worse happens.
  void hashes(size_t first, size_t count, uint64_t* hashes) const;

 private:
  [[nodiscard]] const char* item(size_t index) const { return first_ + static_cast<ptrdiff_t>(index) * stride_; }
  [[nodiscard]] uint64_t hash(const char* item) const;
  bool hash_side_by_side(size_t first, size_t count, uint64_t* hashes) const;
  void close() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  Py_buffer view_{};
  Items items_ = Items::kUnknown;
  Hashing hashing_;
  const char* first_ = nullptr;
  ptrdiff_t stride_ = 0;
  size_t width_ = 0;  // of an item, in bytes
  size_t count_ = 0;
};

}  // namespace crivo::python
