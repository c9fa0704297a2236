// The type crivo._crivo.Filter: its objects, and its methods, which are divided among the files of this folder.
// crivo/_filter.py derives the public class from it.
#pragma once

#include "crivo.h"
#include "errors.h"
#include "items.h"
#include "python.h"
#include "turns.h"

namespace crivo::python {

/// A Python object. Its filter is never null: an object without a filter never reaches Python.
struct Filter {
  PyObject ob_base;  // the name that Python's macros expect
  crivo_filter* handle;
  Hashing hashing;
  Turns turns;
};

/// Casts a function with METH_KEYWORDS or METH_METHOD to the type in which tables store it. Python casts it back.
template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
/// The flags of a method with another Filter or Sketch as its argument, which is checked against the defining class.
constexpr int kOther = METH_METHOD | METH_FASTCALL | METH_KEYWORDS;

/// A slot of the types Filter and Sketch: frees an object.
template <class Object, auto free_handle>
void free_object(PyObject* self) {
  free_handle(reinterpret_cast<Object*>(self)->handle);
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// The single argument of a method, which must be a Filter or a Sketch; null with an exception.
template <class Object>
Object* other_object(const char* wanted, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                     PyObject* keywords) {
  if (count != 1 || (keywords != nullptr && PyTuple_Size(keywords) != 0)) {
    PyErr_Format(PyExc_TypeError, "arguments must be exactly one, %s", wanted);
    return nullptr;
  }
  if (PyObject_TypeCheck(args[0], type) != 0) return reinterpret_cast<Object*>(args[0]);
  (void)refuse_type("other", wanted, args[0]);
  return nullptr;
}

inline Filter* as_filter(PyObject* object) { return reinterpret_cast<Filter*>(object); }

/// Runs `crivo_status work(error)` in a turn, and raises its error. False with an exception.
template <class Work>
[[nodiscard]] bool in_turn(Turns* read, Turns* written, Work&& work, PyObject* filename = Py_None) {
  crivo_error error;
  Turn turn(read, written);
  const crivo_status status = work(&error);
  turn.end();
  return succeeded(status, error, filename);
}

/// A path as Python's functions accept it: str, bytes or an object with __fspath__.
struct Path {
  Ref name;     // str or bytes, the filename of an OSError
  Ref encoded;  // bytes
  [[nodiscard]] const char* bytes() const { return PyBytes_AsString(encoded.get()); }
};

/// Reads a Path; a converter ("O&") of PyArg_ParseTuple. 0 with an exception.
inline int read_path(PyObject* object, void* path) {
  auto* into = static_cast<Path*>(path);
  into->name = Ref(PyOS_FSPath(object));
  PyObject* encoded = nullptr;
  if (!into->name || PyUnicode_FSConverter(into->name.get(), &encoded) == 0) return 0;
  into->encoded = Ref(encoded);
  return 1;
}

/// A new object of this type, which takes ownership of the filter, also on failure.
PyObject* wrap(PyTypeObject* type, crivo_filter* handle);

// make.cpp: the slots and methods that make filters.
PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* keywords);
PyObject* filter_read(PyObject* type, PyObject* args);
PyObject* filter_open(PyObject* type, PyObject* args);
PyObject* filter_copy(PyObject* self, PyObject* unused);
PyObject* filter_drop_counts(PyObject* self, PyObject* unused);

// one_key.cpp
int filter_contains(PyObject* self, PyObject* key);
PyObject* filter_contains_range(PyObject* self, PyObject* args);
PyObject* filter_add(PyObject* self, PyObject* key);
PyObject* filter_add_times(PyObject* self, PyObject* args);
PyObject* filter_remove(PyObject* self, PyObject* key);
PyObject* filter_count(PyObject* self, PyObject* key);

// many_keys.cpp
PyObject* filter_contains_many(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* filter_update(PyObject* self, PyObject* args, PyObject* keywords);

// map.cpp
PyObject* filter_find(PyObject* self, PyObject* key);
PyObject* filter_find_many(PyObject* self, PyObject* args);

// whole.cpp
Py_ssize_t filter_len(PyObject* self);
int filter_bool(PyObject* self);
PyObject* filter_facts(PyObject* self, PyObject* unused);
PyObject* filter_stats(PyObject* self, PyObject* unused);
PyObject* filter_blob(PyObject* self, PyObject* args);
PyObject* filter_save(PyObject* self, PyObject* args);
PyObject* filter_verify(PyObject* self, PyObject* unused);
PyObject* filter_advance(PyObject* self, PyObject* args);
PyObject* filter_clear(PyObject* self, PyObject* unused);
PyObject* filter_unite(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count, PyObject* keywords);
PyObject* filter_intersect(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords);
PyObject* filter_compare(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords);

extern PyType_Spec sketch_spec;  // of crivo._crivo.Sketch; sketch.cpp

}  // namespace crivo::python
