// Failures as Python exceptions.
#pragma once

#include "crivo.h"
#include "python.h"

namespace crivo::python {

/// Raises crivo.Error (SystemRefusal, which is an OSError, where the system refused), or MemoryError if there is no
/// more memory. Returns a null pointer, for the caller to return. `filename` is what the caller of Python named, if
/// anything. The system's reason is the errno that the library left; taking the GIL does not change it.
PyObject* raise(const crivo_error& error, PyObject* filename = Py_None);

/// The same for an argument that was found wrong here. The format is that of PyErr_Format.
PyObject* raise_bad_argument(const char* format, ...);

/// Raises a TypeError, in place of one that was raised already: a field must be something else than this value.
/// Returns false, for the caller to return.
bool refuse_type(const char* field, const char* wanted, PyObject* value);

/// Reads an int from `least` to 2^64 - 1. False with an exception, which names the field.
[[nodiscard]] bool read_integer(const char* field, PyObject* value, uint64_t least, uint64_t* number);

/// Whether all went well; if not, raises. An exception that is already on its way is left as it is: it is the reason
/// why the library was told to stop.
[[nodiscard]] bool succeeded(crivo_status status, const crivo_error& error, PyObject* filename = Py_None);

}  // namespace crivo::python
