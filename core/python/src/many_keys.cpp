// Queries and changes with many keys.
#include "blocks.h"
#include "filter.h"

namespace crivo::python {
namespace {

/// A memoryview of bool on an array of bytes that are 0 or 1.
PyObject* view_of_bool(const Ref& bytes) {
  const Ref view(bytes ? PyMemoryView_FromObject(bytes.get()) : nullptr);
  return view ? PyObject_CallMethod(view.get(), "cast", "s", "?") : nullptr;
}

/// A list of bool from such an array.
PyObject* list_of_bool(const Ref& bytes) {
  const Py_ssize_t size = PyByteArray_Size(bytes.get());
  const char* answers = PyByteArray_AsString(bytes.get());
  Ref list(PyList_New(size));
  for (Py_ssize_t i = 0; list && i < size; ++i) {
    PyObject* answer = answers[i] != 0 ? Py_True : Py_False;
    Py_INCREF(answer);
    PyList_SetItem(list.get(), i, answer);
  }
  return list.release();
}

/// Parses the arguments of contains_many and update.
bool parse(PyObject* args, PyObject* keywords, const char* format, PyObject** keys, bool* hashed) {
  static const char* names[] = {"", "hashed", nullptr};  // the first is positional only
  int flag = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, format, const_cast<char**>(names), keys, &flag)) return false;
  *hashed = flag != 0;
  return check_many(*keys);
}

PyObject* query_array(Filter* filter, const Array& array) {
  const Ref answers(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(array.size())));
  if (!answers) return nullptr;
  auto* hits = reinterpret_cast<uint8_t*>(PyByteArray_AsString(answers.get()));
  const bool fine = each_block(
      array, [&] { return Turn(&filter->turns, nullptr); },
      [&](const uint64_t* hashes, size_t count, crivo_error* error) {
        return crivo_contains_hashes(filter->handle, hashes, count, std::exchange(hits, hits + count), error);
      });
  return fine ? view_of_bool(answers) : nullptr;
}

PyObject* query_each(Filter* filter, PyObject* keys, bool hashed) {
  const Ref answers(PyByteArray_FromStringAndSize(nullptr, 0));  // grows, because the number of keys is unknown
  if (!answers) return nullptr;
  const bool fine = each_block(keys, hashed, filter->hashing, [&](const uint64_t* hashes, size_t count) {
    const Py_ssize_t size = PyByteArray_Size(answers.get());
    if (PyByteArray_Resize(answers.get(), size + static_cast<Py_ssize_t>(count)) != 0) return false;
    auto* hits = reinterpret_cast<uint8_t*>(PyByteArray_AsString(answers.get())) + size;
    filter->turns.wait_to_read();
    crivo_error error;
    return succeeded(crivo_contains_hashes(filter->handle, hashes, count, hits, &error), error);
  });
  if (!fine) return nullptr;
  return PyObject_CheckBuffer(keys) ? view_of_bool(answers) : list_of_bool(answers);
}

}  // namespace

bool check_many(PyObject* keys) {
  const bool many = PyType_GetSlot(Py_TYPE(keys), Py_tp_iter) != nullptr || PySequence_Check(keys) != 0;
  if (!many && PyObject_CheckBuffer(keys) == 0) return refuse_type("keys", "an iterable of keys", keys);
  if (!PyUnicode_Check(keys) && !PyBytes_Check(keys) && !PyByteArray_Check(keys)) return true;
  const Ref name(PyType_GetName(Py_TYPE(keys)));
  if (name) PyErr_Format(PyExc_TypeError, "keys must be an iterable of keys, got %U, which is one key", name.get());
  return false;
}

PyObject* filter_contains_many(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject* keys = nullptr;
  bool hashed = false;
  if (!parse(args, keywords, "O|$p:contains_many", &keys, &hashed)) return nullptr;
  Array array;
  switch (array.open(keys, hashed, as_filter(self)->hashing)) {
    case Array::Opened::kFailed:
      return nullptr;
    case Array::Opened::kArray:
      return query_array(as_filter(self), array);
    default:
      return query_each(as_filter(self), keys, hashed);
  }
}

PyObject* filter_update(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject* keys = nullptr;
  bool hashed = false;
  if (!parse(args, keywords, "O|$p:update", &keys, &hashed)) return nullptr;
  Filter* filter = as_filter(self);
  const auto add = [&](const uint64_t* hashes, size_t count, crivo_error* error) {
    return crivo_add_hashes(filter->handle, hashes, count, error);
  };
  if (!change_by_blocks(keys, hashed, filter->hashing, &filter->turns, add)) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace crivo::python
