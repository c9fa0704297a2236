// Many keys, hashed block by block: from an array without the GIL, from everything else object by object.
#pragma once

#include <algorithm>

#include "array.h"
#include "errors.h"
#include "key.h"
#include "python.h"
#include "turns.h"

namespace crivo::python {

/// Keys that are hashed at a time: their hashes stay in the nearest cache, and the filter prefetches among them.
constexpr size_t kBlock = 1024;
/// Keys between two looks at what else happens: Ctrl-C, and other threads that want the GIL. Some milliseconds, as long
/// as Python itself lets a thread run.
constexpr size_t kStretch = size_t{1} << 18;

/// Fails with a TypeError where `keys` is one key, because who passes it has forgotten the list around it, or cannot be
/// iterated over.
[[nodiscard]] bool check_many(PyObject* keys);

/// What Python does between two instructions. False with an exception.
[[nodiscard]] inline bool let_others_run() {
  PyEval_RestoreThread(PyEval_SaveThread());
  return PyErr_CheckSignals() == 0;
}

/// Calls `crivo_status take(hashes, count, error)` for block after block of an array, without the GIL; `turn()` makes
/// the Turn in which a stretch of them happens. False with an exception.
template <class MakeTurn, class Take>
[[nodiscard]] bool each_block(const Array& array, MakeTurn&& make_turn, Take&& take, PyObject* filename = Py_None) {
  uint64_t hashes[kBlock];
  crivo_error error;
  crivo_status status = CRIVO_OK;
  for (size_t at = 0; at < array.size() && status == CRIVO_OK;) {
    {
      const auto turn = make_turn();
      const size_t end = at + std::min(kStretch, array.size() - at);
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

/// Calls `bool take(hashes, count)`, with the GIL, for block after block of what iterating over `keys` gives. Where an
/// object is no key, the keys before it are taken; then this is false, with the exception. No turn may be held, because
/// the iteration can run any Python code.
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
    if (static_cast<size_t>(index) % kStretch == kStretch - 1 && !let_others_run()) return false;
    filled = 0;
  }
  if (PyErr_Occurred() == nullptr) return filled == 0 || take(hashes, filled);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (filled > 0 && !take(hashes, filled)) PyErr_Clear();  // the wrong key came first in time
  PyErr_Restore(type, value, traceback);
  return false;
}

/// Changes something by keys of any sort: calls `crivo_status take(hashes, count, error)` for block after block, in
/// turns that change what `changed` belongs to, which is null where nobody else has it. False with an exception.
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
    if (changed != nullptr) changed->wait_to_change();
    crivo_error error;
    return succeeded(take(hashes, count, &error), error, filename);
  });
}

}  // namespace crivo::python
