// An item of an array as a key. What it is, is told by its format (Python's module struct).
//
// An item is the key of the object that indexing the array gives: integers and reals are numbers, and NumPy's "S16" is
// bytes without the NULs at its end, which NumPy takes for padding. Bytes whose every byte counts, such as digests, are
// "V16" (array.view("V16")) or rows of single bytes.
#pragma once

#include <cstddef>
#include <cstring>

#include "crivo.h"
#include "python.h"

namespace crivo::python {

enum class Items { kUnknown, kHash, kSigned, kUnsigned, kBool, kReal, kBytes, kTrimmedBytes };

/// What the items of a buffer are, kUnknown if they cannot be read here. A buffer of no dimension is an item: a scalar
/// of NumPy's or of ctypes. The items of two dimensions are rows.
[[nodiscard]] Items items_of(const Py_buffer& view);

/// Whether this is a masked array of NumPy's, or what indexing one gives for an item that is masked. Their memory has a
/// value there all the same.
[[nodiscard]] inline bool has_mask(PyObject* array) { return PyObject_HasAttrString(array, "mask") != 0; }

/// How a filter knows a key: by a hash of its bytes, or, if the kind is range, by an ordered number.
struct Hashing {
  uint64_t seed = 0;
  bool ordered = false;
};

struct ItemKey {
  const void* data;
  size_t size;
};

/// The key of an item of `width` bytes, which lies in `number` or in the item itself. `items` is neither kUnknown nor
/// kHash.
[[nodiscard]] ItemKey item_key(Items items, const char* item, size_t width, char number[CRIVO_NUMBER_KEY_BYTES]);

/// Reads an item that is an integer or a bool. False for a negative one.
[[nodiscard]] bool item_integer(Items items, const char* item, size_t width, uint64_t* value, int64_t* negative);

/// The ordered number of an item that is an integer or bytes.
[[nodiscard]] uint64_t item_number(Items items, const char* item, size_t width);

/// Reads a number of the machine's from anywhere: an array may be misaligned.
template <class T>
[[nodiscard]] T load(const char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}

}  // namespace crivo::python
