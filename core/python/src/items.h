// Items of an array as keys. The array's format, as in Python's module struct, defines their type.
//
// An item is the same key as the Python object that indexing the array returns. Integers and reals are numbers. NumPy's
// "S16" is bytes without trailing NULs, which NumPy considers padding. Bytes whose trailing NULs matter, such as
// digests, need "V16" (array.view("V16")) or rows of single bytes.
#pragma once

#include <cstddef>
#include <cstring>

#include "crivo.h"
#include "python.h"

namespace crivo::python {

enum class Items { kUnknown, kHash, kSigned, kUnsigned, kBool, kReal, kBytes, kTrimmedBytes };

/// The type of a buffer's items; kUnknown if they cannot be read in place. A buffer without dimensions is one item: a
/// scalar of NumPy or ctypes. In two dimensions, the items are rows.
[[nodiscard]] Items items_of(const Py_buffer& view);

/// Whether this is a masked array of NumPy, or a masked item of one. The memory of a masked item has a value, which is
/// not a key.
[[nodiscard]] inline bool has_mask(PyObject* array) { return PyObject_HasAttrString(array, "mask") != 0; }

/// How a filter identifies a key: by a hash of its bytes, or, for the kind range, by an ordered number.
struct Hashing {
  uint64_t seed = 0;
  bool ordered = false;
};

struct ItemKey {
  const void* data;
  size_t size;
};

/// The key of an item of `width` bytes. The result points to `number` or to the item itself. `items` must not be
/// kUnknown or kHash.
[[nodiscard]] ItemKey item_key(Items items, const char* item, size_t width, char number[CRIVO_NUMBER_KEY_BYTES]);

/// Reads an integer or bool item. Returns false, with the number in `negative`, if it is negative.
[[nodiscard]] bool item_integer(Items items, const char* item, size_t width, uint64_t* value, int64_t* negative);

/// The ordered number of an integer or bytes item.
[[nodiscard]] uint64_t item_number(Items items, const char* item, size_t width);

/// Reads a native number from any address: an array may be misaligned.
template <class T>
[[nodiscard]] T load(const char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}

}  // namespace crivo::python
