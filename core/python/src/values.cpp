#include "values.h"

#include <cstdio>

#include "errors.h"

namespace crivo::python {

bool Values::open(PyObject* values) {
  if (PyObject_CheckBuffer(values) != 0 && !has_mask(values)) {
    if (PyObject_GetBuffer(values, &view_, PyBUF_RECORDS_RO) == 0) {
      const Items items = view_.ndim == 1 ? items_of(view_) : Items::kUnknown;
      if (items == Items::kSigned || items == Items::kUnsigned || items == Items::kBool) items_ = items;
    } else {
      PyErr_Clear();
    }
  }
  if (!is_array()) iterator_ = Ref(PyObject_GetIter(values));
  return is_array() || iterator_;
}

bool Values::read_next(size_t count, uint64_t* values) {
  if (is_array()) {
    if (count > size() - next_) return raise_bad_argument("values must have one item per key, got %zu", size());
    crivo_error error;
    return succeeded(read_items(count, values, &error), error);
  }
  for (size_t i = 0; i < count; ++i, ++next_) {
    const Ref value(PyIter_Next(iterator_.get()));
    if (!value && PyErr_Occurred() == nullptr) raise_bad_argument("values must have one item per key, got %zu", next_);
    if (!value || !read_integer("value", value.get(), 0, &values[i], "2^32 - 1")) return false;
  }
  return true;
}

crivo_status Values::read_items(size_t count, uint64_t* values, crivo_error* error) {
  const auto width = static_cast<size_t>(view_.itemsize);
  const Py_ssize_t stride = view_.strides == nullptr ? view_.itemsize : view_.strides[0];
  const char* item = static_cast<const char*>(view_.buf) + static_cast<Py_ssize_t>(next_) * stride;
  for (size_t i = 0; i < count; ++i, item += stride) {
    int64_t negative = 0;
    if (item_integer(items_, item, width, &values[i], &negative)) continue;
    error->status = CRIVO_BAD_ARGUMENT;
    std::snprintf(error->message, sizeof error->message, "value must be an int from 0 to 2^32 - 1, got %lld",
                  static_cast<long long>(negative));
    return CRIVO_BAD_ARGUMENT;
  }
  next_ += count;
  return CRIVO_OK;
}

bool Values::end() {
  if (is_array()) {
    return next_ == size() || raise_bad_argument("values must have one item per key, got %zu", size());
  }
  const Ref more(PyIter_Next(iterator_.get()));
  if (more) raise_bad_argument("values must have one item per key, got more than %zu", next_);
  return PyErr_Occurred() == nullptr;
}

}  // namespace crivo::python
