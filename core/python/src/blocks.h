// Hashes many keys block by block: without the GIL for an array, and one by one for another iterable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "errors.h"
#include "items.h"
#include "key.h"
#include "python.h"
#include "turns.h"

namespace crivo::python {

/// Reads an array of keys in place, through Python's buffer protocol: NumPy, array.array, memoryview, ctypes. An array
/// contains the same keys as a list of its items. items.h defines the items that can be read in place; arrays of other
/// items are iterated over.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { close(); }

  enum class Opened { kArray, kOther, kFailed };
  /// Call once. kOther: `keys` cannot be read in place, or the filter needs ordered numbers, to which the items may not
  /// be convertible. kFailed: `hashed` is set, but the items are not hashes; an exception is set.
  Opened open(PyObject* keys, bool hashed, const Hashing& hashing);

  [[nodiscard]] size_t size() const { return count_; }

  /// Writes the hashes of `count` items, starting at `first`. Needs no GIL. If another thread writes to the array
  /// meanwhile, some hashes may be those of keys that never existed, but all accesses stay inside the array.
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

/// The number of keys hashed at a time. Their hashes fit in the L1 cache, and the library prefetches for all of them.
constexpr size_t kBlock = 1024;
/// The number of keys between checks for Ctrl-C and for other threads that want the GIL. Hashing this many keys takes a
/// few milliseconds, about as long as Python lets a thread keep the GIL.
constexpr size_t kItemsPerTurn = size_t{1} << 18;

/// Raises a TypeError if `keys` cannot be iterated over, or is a single key, because the caller probably forgot the
/// list around the key.
[[nodiscard]] bool check_many(PyObject* keys);

/// Briefly releases the GIL, and checks for signals, as Python does between two instructions. False with an exception.
[[nodiscard]] inline bool let_others_run() {
  PyEval_RestoreThread(PyEval_SaveThread());
  return PyErr_CheckSignals() == 0;
}

/// Calls `crivo_status take(hashes, count, error)` for each block of an array, without the GIL. `make_turn()` makes the
/// Turn for up to kItemsPerTurn keys. False with an exception.
template <class MakeTurn, class Take>
[[nodiscard]] bool each_block(const Array& array, MakeTurn&& make_turn, Take&& take, PyObject* filename = Py_None) {
  uint64_t hashes[kBlock];
  crivo_error error;
  crivo_status status = CRIVO_OK;
  for (size_t at = 0; at < array.size() && status == CRIVO_OK;) {
    {
      const auto turn = make_turn();
      const size_t end = at + std::min(kItemsPerTurn, array.size() - at);
      while (at < end && status == CRIVO_OK) {
        const size_t count = std::min(kBlock, end - at);
        array.hashes(at, count, hashes);
        status = take(hashes, count, &error);
        at += count;
      }
    }
    if (status == CRIVO_OK && PyErr_CheckSignals() != 0) return false;
  }
  return succeeded(status, error, filename);
}

/// Calls `bool take(hashes, count)`, with the GIL, for each block of the keys that iterating over `keys` yields. If an
/// object is not a key, passes the keys before it to `take`, and returns false with the exception set. No turn may be
/// active, because the iteration can run any Python code.
template <class Take>
[[nodiscard]] bool each_block(PyObject* keys, bool hashed, const Hashing& hashing, Take&& take) {
  const Ref iterator(PyObject_GetIter(keys));
  if (!iterator) return false;
  uint64_t hashes[kBlock];
  size_t filled = 0;
  for (Py_ssize_t index = 0;; ++index) {
    const Ref key(PyIter_Next(iterator.get()));
    if (!key || !hash_key(key.get(), index, hashed, hashing, &hashes[filled])) break;
    if (++filled < kBlock) continue;
    if (!take(hashes, filled)) return false;
    if (static_cast<size_t>(index) % kItemsPerTurn == kItemsPerTurn - 1 && !let_others_run()) return false;
    filled = 0;
  }
  if (PyErr_Occurred() == nullptr) return filled == 0 || take(hashes, filled);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (filled > 0 && !take(hashes, filled)) PyErr_Clear();  // the error of the wrong key came first
  PyErr_Restore(type, value, traceback);
  return false;
}

/// Changes an object with keys from an array or another iterable: calls `crivo_status take(hashes, count, error)` for
/// each block. For an array, the calls run in a turn that changes the object; for another iterable, with the GIL.
/// `changed` is the object's Turns, or null if no other thread can access the object. False with an exception.
template <class Take>
[[nodiscard]] bool change_by_blocks(PyObject* keys, bool hashed, const Hashing& hashing, Turns* changed, Take&& take,
                                    PyObject* filename = Py_None) {
  Array array;
  const Array::Opened opened = array.open(keys, hashed, hashing);
  if (opened == Array::Opened::kFailed) return false;
  if (opened == Array::Opened::kArray) {
    return each_block(
        array, [&] { return Turn(nullptr, changed); }, take, filename);
  }
  return each_block(keys, hashed, hashing, [&](const uint64_t* hashes, size_t count) {
    if (changed != nullptr) changed->wait_to_write();
    crivo_error error;
    return succeeded(take(hashes, count, &error), error, filename);
  });
}

}  // namespace crivo::python
