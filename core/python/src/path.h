// A path as Python's functions accept it: str, bytes or an object with __fspath__.
#pragma once

#include "python.h"

namespace crivo::python {

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

}  // namespace crivo::python
