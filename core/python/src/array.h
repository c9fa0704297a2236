// An array of keys that is read where it lies, by Python's buffer protocol: NumPy's, array.array, memoryview, ctypes.
//
// An array means the keys that a list of its items means; items.h says which these are. Other items are left to be
// iterated over, one by one.
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
  /// Call once. kOther: `keys` is nothing that can be read here, or, where the filter wants ordered numbers, has items
  /// that may be none. kFailed: with an exception, for an array that does not
  /// have the hashes that `hashed` promises.
  Opened open(PyObject* keys, bool hashed, const Hashing& hashing);

  [[nodiscard]] size_t size() const { return count_; }

  /// Writes the hashes of `count` items from `first` on. Needs no GIL. Another thread may write to the array meanwhile:
  /// then some hashes are of keys that never were, and no more than that.
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
  size_t width_ = 0;  // bytes of an item
  size_t count_ = 0;
};

}  // namespace crivo::python
