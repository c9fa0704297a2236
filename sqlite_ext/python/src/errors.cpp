#include "errors.h"

#include <cstdarg>
#include <cstring>

namespace crivo::python {
namespace {

/// The class is written in Python, where it has its documentation. It is looked up for each error: the module then
/// keeps nothing, and works in every subinterpreter.
PyObject* raise_error(PyObject* message, crivo_status status) {
  const Ref module(message == nullptr ? nullptr : PyImport_ImportModule("crivo._error"));
  const char* name = status == CRIVO_SYSTEM ? "SystemRefusal" : "Error";
  const Ref type(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  const Ref error(type ? PyObject_CallFunction(type.get(), "Os", message, crivo_status_name(status)) : nullptr);
  if (error) PyErr_SetObject(type.get(), error.get());
  return nullptr;
}

}  // namespace

PyObject* raise(const crivo_error& error) {
  if (error.status == CRIVO_NO_MEMORY) return PyErr_NoMemory();
  const Ref message(
      PyUnicode_DecodeUTF8(error.message, static_cast<Py_ssize_t>(std::strlen(error.message)), "replace"));
  return raise_error(message.get(), error.status);
}

PyObject* raise_bad_argument(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const Ref message(PyUnicode_FromFormatV(format, arguments));
  va_end(arguments);
  return raise_error(message.get(), CRIVO_BAD_ARGUMENT);
}

bool refuse_type(const char* field, const char* wanted, PyObject* value) {
  const Ref name(PyType_GetName(Py_TYPE(value)));
  if (name) PyErr_Format(PyExc_TypeError, "%s must be %s, got %U", field, wanted, name.get());
  return false;
}

bool succeeded(crivo_status status, const crivo_error& error) {
  if (status == CRIVO_OK) return true;
  if (PyErr_Occurred() == nullptr) raise(error);
  return false;
}

}  // namespace crivo::python
