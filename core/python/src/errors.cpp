#include "errors.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>

namespace crivo::python {
namespace {

/// The exception classes are written in Python, with their documentation. They are looked up for each error, so that
/// the module has no state and works in every subinterpreter.
PyObject* raise_error(const Ref& message, crivo_status status, int reason = 0, PyObject* filename = Py_None) {
  const Ref module(message ? PyImport_ImportModule("crivo._error") : nullptr);
  if (!module) return nullptr;
  const char* name = crivo_status_name(status);
  const Ref error(status == CRIVO_SYSTEM ? PyObject_CallMethod(module.get(), "SystemRefusal", "OsiO", message.get(),
                                                               name, reason, filename)
                                         : PyObject_CallMethod(module.get(), "Error", "Os", message.get(), name));
  if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

}  // namespace

PyObject* raise(const crivo_error& error, PyObject* filename) {
  const int reason = errno;
  if (error.status == CRIVO_NO_MEMORY) return PyErr_NoMemory();
  const Ref message(
      PyUnicode_DecodeUTF8(error.message, static_cast<Py_ssize_t>(std::strlen(error.message)), "replace"));
  return raise_error(message, error.status, reason, filename);
}

bool raise_bad_argument(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const Ref message(PyUnicode_FromFormatV(format, arguments));
  va_end(arguments);
  raise_error(message, CRIVO_BAD_ARGUMENT);
  return false;
}

bool refuse_type(const char* field, const char* wanted, PyObject* value) {
  const Ref name(PyType_GetName(Py_TYPE(value)));
  if (name) PyErr_Format(PyExc_TypeError, "%s must be %s, got %U", field, wanted, name.get());
  return false;
}

bool read_integer(const char* field, PyObject* value, uint64_t least, uint64_t* number, const char* most) {
  if (PyIndex_Check(value) == 0) return refuse_type(field, "an int", value);
  const Ref integer(PyNumber_Index(value));
  if (!integer) return false;
  *number = PyLong_AsUnsignedLongLong(integer.get());
  const bool outside = *number == UINT64_MAX && PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (!outside && *number >= least) return true;
  return raise_bad_argument("%s must be an int from %d to %s, got %S", field, static_cast<int>(least), most,
                            integer.get());
}

bool succeeded(crivo_status status, const crivo_error& error, PyObject* filename) {
  if (status == CRIVO_OK) return true;
  if (PyErr_Occurred() == nullptr) raise(error, filename);
  return false;
}

}  // namespace crivo::python
