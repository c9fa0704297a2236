#include "blocks.h"

#include <cstring>

#include "crivo.h"

namespace crivo::python {

Array::Opened Array::open(PyObject* keys, bool hashed, const Hashing& hashing) {
  if (!PyObject_CheckBuffer(keys) || has_mask(keys)) return Opened::kOther;
  if (PyObject_GetBuffer(keys, &view_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return Opened::kOther;
  }
  items_ = items_of(view_);
  if (items_ == Items::kUnknown || view_.ndim == 0) return Opened::kOther;
  if (hashed) {
    if (items_ != Items::kUnsigned || view_.itemsize != 8) {
      PyErr_Format(PyExc_TypeError, "keys must be an array of 64-bit unsigned integers if hashed is true, got %s",
                   view_.format == nullptr ? "bytes" : view_.format);
      return Opened::kFailed;
    }
    items_ = Items::kHash;
  } else if (hashing.ordered && (items_ == Items::kReal || (items_ == Items::kUnsigned && view_.itemsize == 8))) {
    return Opened::kOther;
  }
  hashing_ = hashing;
  first_ = static_cast<const char*>(view_.buf);
  count_ = static_cast<size_t>(view_.shape[0]);
  width_ = static_cast<size_t>(view_.ndim == 2 ? view_.shape[1] : view_.itemsize);
  stride_ = view_.strides == nullptr ? static_cast<ptrdiff_t>(width_) : view_.strides[0];  // ctypes sets no strides
  return Opened::kArray;
}

uint64_t Array::hash(const char* item) const {
  if (items_ == Items::kHash) return load<uint64_t>(item);
  if (hashing_.ordered) return item_number(items_, item, width_);
  char number[CRIVO_NUMBER_KEY_BYTES];
  const ItemKey key = item_key(items_, item, width_, number);
  return crivo_hash_key(key.data, key.size, hashing_.seed);
}

/// Hashes contiguous keys of a fixed width in one call. Returns false for other keys.
bool Array::hash_side_by_side(size_t first, size_t count, uint64_t* hashes) const {
  if (hashing_.ordered) return false;
  if (items_ != Items::kBytes && items_ != Items::kTrimmedBytes) return false;
  if (width_ == 0 || stride_ != static_cast<ptrdiff_t>(width_)) return false;
  const crivo_keys keys{item(first), count * width_, nullptr, width_, count};
  if (crivo_hash_keys(&keys, hashing_.seed, hashes, nullptr) != CRIVO_OK) return false;
  if (items_ == Items::kBytes) return true;
  for (size_t i = 0; i < count; ++i) {
    const char* key = item(first + i);
    if (key[width_ - 1] == '\0') hashes[i] = hash(key);
  }
  return true;
}

void Array::hashes(size_t first, size_t count, uint64_t* hashes) const {
  if (items_ == Items::kHash && stride_ == sizeof(uint64_t)) {
    std::memcpy(hashes, item(first), count * sizeof(uint64_t));
  } else if (!hash_side_by_side(first, count, hashes)) {
    for (size_t i = 0; i < count; ++i) hashes[i] = hash(item(first + i));
  }
}

}  // namespace crivo::python
