// Looks up values in a map, for crivo.Map (crivo/_map.py).
#include "blocks.h"
#include "filter.h"
#include "key.h"

namespace crivo::python {
namespace {

/// Collects values, and whether each key has one, for an unknown number of keys.
class Found {
 public:
  [[nodiscard]] bool start() {
    values_ = Ref(PyByteArray_FromStringAndSize(nullptr, 0));
    found_ = Ref(PyByteArray_FromStringAndSize(nullptr, 0));
    return values_ && found_;
  }
  /// Allocates space for `count` more keys.
  [[nodiscard]] bool grow(size_t count) {
    const auto size = static_cast<Py_ssize_t>(count_ + count);
    return PyByteArray_Resize(values_.get(), size * static_cast<Py_ssize_t>(sizeof(uint64_t))) == 0 &&
           PyByteArray_Resize(found_.get(), size) == 0;
  }
  /// Looks up keys for which grow() has allocated space. Needs no GIL.
  crivo_status query(const Filter* map, const uint64_t* hashes, size_t count, crivo_error* error) {
    auto* values = reinterpret_cast<uint64_t*>(PyByteArray_AsString(values_.get())) + count_;
    auto* found = reinterpret_cast<uint8_t*>(PyByteArray_AsString(found_.get())) + count_;
    count_ += count;
    return crivo_find_hashes(map->handle, hashes, count, values, found, error);
  }
  /// A memoryview of uint64 and one of bool.
  [[nodiscard]] PyObject* views() const {
    const Ref values(view(values_, "Q"));
    const Ref found(values ? view(found_, "?") : nullptr);
    return found ? PyTuple_Pack(2, values.get(), found.get()) : nullptr;
  }

 private:
  static PyObject* view(const Ref& bytes, const char* format) {
    const Ref view(PyMemoryView_FromObject(bytes.get()));
    return view ? PyObject_CallMethod(view.get(), "cast", "s", format) : nullptr;
  }
  Ref values_;
  Ref found_;
  size_t count_ = 0;
};

bool find_in_array(Filter* map, const Array& array, Found& found) {
  return found.grow(array.size()) && each_block(
                                         array, [&] { return Turn(&map->turns, nullptr); },
                                         [&](const uint64_t* hashes, size_t count, crivo_error* error) {
                                           return found.query(map, hashes, count, error);
                                         });
}

bool find_each(Filter* map, PyObject* keys, bool hashed, Found& found) {
  return each_block(keys, hashed, map->hashing, [&](const uint64_t* hashes, size_t count) {
    if (!found.grow(count)) return false;
    map->turns.wait_to_read();
    crivo_error error;
    return succeeded(found.query(map, hashes, count, &error), error);
  });
}

}  // namespace

PyObject* filter_find(PyObject* self, PyObject* object) {
  Key key;
  if (!key.read(object)) return nullptr;
  Filter* map = as_filter(self);
  map->turns.wait_to_read();
  crivo_error error;
  uint64_t value = 0;
  const int32_t found = crivo_find(map->handle, key.data(), key.size(), &value, &error);
  if (found < 0) return raise(error);
  if (found == 0) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(value);
}

PyObject* filter_find_many(PyObject* self, PyObject* args) {
  PyObject* keys = nullptr;
  int hashed = 0;
  if (!PyArg_ParseTuple(args, "Op:_find_many", &keys, &hashed) || !check_many(keys)) return nullptr;
  Filter* map = as_filter(self);
  Array array;
  Found found;
  const Array::Opened opened = array.open(keys, hashed != 0, map->hashing);
  if (opened == Array::Opened::kFailed || !found.start()) return nullptr;
  const bool fine =
      opened == Array::Opened::kArray ? find_in_array(map, array, found) : find_each(map, keys, hashed != 0, found);
  return fine ? found.views() : nullptr;
}

}  // namespace crivo::python
