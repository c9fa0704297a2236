// An array of keys that is read where it lies, by Python's buffer protocol: NumPy's, array.array, memoryview, ctypes.
//
// An array means the keys that a list of its items means: integers and reals are numbers, and NumPy's "S16" is bytes
// without the NULs at its end, which NumPy takes for padding. Bytes whose every byte counts, such as digests, are "V16"
// (array.view("V16")) or rows of single bytes. What is not listed here is left to be iterated over, item by item.
#pragma once

#include <cstddef>
#include <cstdint>

#include "python.h"

namespace crivo::python {

class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { close(); }

  enum class Opened { kArray, kOther, kFailed };
  /// Call once. kOther: `keys` is nothing that can be read here. kFailed: with an exception, for an array that does not
  /// have the hashes that `hashed` promises.
  Opened open(PyObject* keys, bool hashed);

  [[nodiscard]] size_t size() const { return count_; }

  /// The hashes of `count` items from `first` on: in the array itself, if it has them side by side, or in `scratch`.
  /// Needs no GIL.
  const uint64_t* hashes(size_t first, size_t count, uint64_t seed, uint64_t* scratch) const;

 private:
  enum class Items { kUnknown, kHash, kSigned, kUnsigned, kBool, kReal, kBytes, kTrimmedBytes };
  [[nodiscard]] Items items() const;
  [[nodiscard]] const char* item(size_t index) const { return first_ + static_cast<ptrdiff_t>(index) * stride_; }
  [[nodiscard]] uint64_t hash(const char* item, uint64_t seed) const;
  bool hash_side_by_side(size_t first, size_t count, uint64_t seed, uint64_t* hashes) const;
  void close() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  Py_buffer view_{};
  Items items_ = Items::kUnknown;
  const char* first_ = nullptr;
  ptrdiff_t stride_ = 0;
  size_t width_ = 0;  // bytes of an item
  size_t count_ = 0;
};

}  // namespace crivo::python
