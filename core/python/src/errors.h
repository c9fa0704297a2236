// Raises errors as Python exceptions.
#pragma once

#include "crivo.h"
#include "python.h"

namespace crivo::python {

/// Raises crivo.Error, its subclass SystemRefusal (an OSError) if the system reported the error, or MemoryError if
/// memory is short. Returns a null pointer, for the caller to return. `filename` is the file that the Python caller
/// named, if any. errno must still have the value that the library's call set; acquiring the GIL preserves errno.
PyObject* raise(const crivo_error& error, PyObject* filename = Py_None);

/// Raises a crivo.Error for a wrong argument. The format is that of PyErr_Format. Returns false, for the caller to
/// return.
bool raise_bad_argument(const char* format, ...);

/// Raises a TypeError, which replaces any pending exception: `field` must be `wanted`, got the type of `value`. Returns
/// false, for the caller to return.
bool refuse_type(const char* field, const char* wanted, PyObject* value);

/// Reads an int from `least` to 2^64 - 1. False with an exception that names the field and the range. `most`: the upper
/// end of the range in the message; the library checks it.
[[nodiscard]] bool read_integer(const char* field, PyObject* value, uint64_t least, uint64_t* number,
                                const char* most = "2^64 - 1");

/// Whether `status` is CRIVO_OK. If not, raises the error, unless an exception is pending: that exception made the
/// library stop.
[[nodiscard]] bool succeeded(crivo_status status, const crivo_error& error, PyObject* filename = Py_None);

}  // namespace crivo::python
