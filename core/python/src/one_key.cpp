// Queries and changes with one key. These functions hold the GIL, because releasing it would take longer than the query
// or change.
#include "errors.h"
#include "filter.h"
#include "key.h"

namespace crivo::python {
namespace {

/// Runs `crivo_status change(handle, data, size, error)` with a key.
template <class Change>
PyObject* change_key(PyObject* self, PyObject* object, Change&& change) {
  Key key;
  if (!key.read(object)) return nullptr;
  Filter* filter = as_filter(self);
  filter->turns.wait_to_write();
  crivo_error error;
  if (!succeeded(change(filter->handle, key.data(), key.size(), &error), error)) return nullptr;
  Py_RETURN_NONE;
}

/// The library's result; -1 with an exception for its error.
int answer(int32_t found, const crivo_error& error) {
  if (found < 0) raise(error);
  return found < 0 ? -1 : found;
}

int query_range(Filter* filter, uint64_t low, uint64_t high) {
  filter->turns.wait_to_read();
  crivo_error error;
  const int32_t found = crivo_contains_range(filter->handle, low, high, &error);
  return answer(found, error);
}

}  // namespace

int filter_contains(PyObject* self, PyObject* object) {
  Filter* filter = as_filter(self);
  if (filter->hashing.ordered) {
    uint64_t number = 0;
    bool is_bytes = false;
    return read_ordered(object, kAlone, &number, &is_bytes) ? query_range(filter, number, number) : -1;
  }
  Key key;
  if (!key.read(object)) return -1;
  filter->turns.wait_to_read();
  crivo_error error;
  const int32_t found = crivo_contains(filter->handle, key.data(), key.size(), &error);
  return answer(found, error);
}

PyObject* filter_contains_range(PyObject* self, PyObject* args) {
  PyObject* low_object = nullptr;
  PyObject* high_object = nullptr;
  if (!PyArg_ParseTuple(args, "OO:contains_range", &low_object, &high_object)) return nullptr;
  uint64_t low = 0;
  uint64_t high = 0;
  bool low_is_bytes = false;
  bool high_is_bytes = false;
  if (!read_ordered(low_object, kAlone, &low, &low_is_bytes)) return nullptr;
  if (!read_ordered(high_object, kAlone, &high, &high_is_bytes)) return nullptr;
  if (low_is_bytes != high_is_bytes) {
    PyErr_SetString(PyExc_TypeError, "low and high must be two ints or two bytes, got one of each");
    return nullptr;
  }
  if (high_is_bytes) {
    Key key;
    if (!key.read(high_object)) return nullptr;
    high = crivo_last_ordered_bytes(key.data(), key.size());
  }
  const int found = query_range(as_filter(self), low, high);
  return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* filter_add(PyObject* self, PyObject* object) { return change_key(self, object, crivo_add); }

PyObject* filter_remove(PyObject* self, PyObject* object) { return change_key(self, object, crivo_remove); }

PyObject* filter_add_times(PyObject* self, PyObject* args) {
  PyObject* object = nullptr;
  PyObject* number = nullptr;
  if (!PyArg_ParseTuple(args, "OO:add_times", &object, &number)) return nullptr;
  uint64_t times = 0;
  if (!read_integer("times", number, 0, &times)) return nullptr;
  return change_key(self, object, [&](crivo_filter* handle, const void* data, size_t size, crivo_error* error) {
    return crivo_add_times(handle, data, size, times, error);
  });
}

PyObject* filter_count(PyObject* self, PyObject* object) {
  Key key;
  if (!key.read(object)) return nullptr;
  Filter* filter = as_filter(self);
  filter->turns.wait_to_read();
  crivo_error error;
  uint64_t count = 0;
  if (!succeeded(crivo_count(filter->handle, key.data(), key.size(), &count, &error), error)) return nullptr;
  return PyLong_FromUnsignedLongLong(count);
}

}  // namespace crivo::python
