// The type crivo._crivo.Filter: what an object of it is, and its methods, which the files of this folder divide.
// crivo/_filter.py derives the class from it that users see.
#pragma once

#include "crivo.h"
#include "errors.h"
#include "items.h"
#include "python.h"
#include "turns.h"

namespace crivo::python {

/// A Python object. Its filter is never null: an object whose filter could not be made never reaches Python.
struct Filter {
  PyObject ob_base;  // the name is Python's
  crivo_filter* handle;
  Hashing hashing;
  Turns turns;
};

inline Filter* as_filter(PyObject* object) { return reinterpret_cast<Filter*>(object); }

/// Runs `crivo_status work(error)` in a turn, and raises what it fails with. False with an exception.
template <class Work>
[[nodiscard]] bool in_turn(Turns* asked, Turns* changed, Work&& work, PyObject* filename = Py_None) {
  crivo_error error;
  Turn turn(asked, changed);
  const crivo_status status = work(&error);
  turn.end();
  return succeeded(status, error, filename);
}

/// A new object of this type with the filter, which it takes over, also where it fails.
PyObject* wrap(PyTypeObject* type, crivo_filter* handle);

// make.cpp: what the names say, as slots and methods.
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
// The other filter is checked against the class that defines the method.
PyObject* filter_unite(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count, PyObject* keywords);
PyObject* filter_intersect(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords);
PyObject* filter_compare(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords);

}  // namespace crivo::python
