#include "key.h"

#include "errors.h"

namespace crivo::python {
namespace {

Ref name_of(PyObject* object) { return Ref(PyType_GetName(Py_TYPE(object))); }

/// Raises a TypeError that says what a key, or keys[index], must be and what it is.
bool refuse(PyObject* object, Py_ssize_t index, const char* wanted) {
  const Ref name = name_of(object);
  if (!name) return false;
  if (index == kAlone) {
    PyErr_Format(PyExc_TypeError, "key must be %s, got %U", wanted, name.get());
  } else {
    PyErr_Format(PyExc_TypeError, "keys[%zd] must be %s, got %U", index, wanted, name.get());
  }
  return false;
}

bool read_hash(PyObject* object, Py_ssize_t index, uint64_t* hash) {
  if (!PyIndex_Check(object)) return refuse(object, index, "an int where hashed is true");
  const Ref integer(PyNumber_Index(object));
  if (!integer) return false;
  *hash = PyLong_AsUnsignedLongLong(integer.get());
  if (*hash != UINT64_MAX || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return raise_bad_argument("keys[%zd] must be an int from 0 to 2^64 - 1 where hashed is true", index) != nullptr;
}

}  // namespace

bool Key::read_integer(PyObject* integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) return read_digits(integer);
  if (value == -1 && PyErr_Occurred() != nullptr) return false;
  size_ = static_cast<Py_ssize_t>(crivo_integer_key(value, number_));
  data_ = number_;
  return true;
}

/// Python's integers have no largest one: beyond 64 bits the key is the digits, too.
bool Key::read_digits(PyObject* integer) {
  text_ = Ref(PyNumber_ToBase(integer, 10));
  return text_ && read_text(text_.get());
}

bool Key::read_other(PyObject* object, Py_ssize_t index) {
  if (PyUnicode_Check(object)) return read_text(object);
  if (PyBytes_Check(object)) return read_bytes(object);
  if (PyLong_Check(object)) return read_integer(object);
  if (PyFloat_Check(object)) {
    size_ = static_cast<Py_ssize_t>(crivo_real_key(PyFloat_AsDouble(object), number_));
    data_ = number_;
    return true;
  }
  if (PyByteArray_Check(object) || PyMemoryView_Check(object)) {
    has_buffer_ = PyObject_GetBuffer(object, &buffer_, PyBUF_SIMPLE) == 0;
    if (!has_buffer_) return false;
    data_ = buffer_.buf;
    size_ = buffer_.len;
    return true;
  }
  if (!PyIndex_Check(object)) return refuse(object, index, "str, bytes, int or float");
  const Ref integer(PyNumber_Index(object));
  return integer && read_integer(integer.get());
}

bool hash_key(PyObject* object, Py_ssize_t index, bool hashed, uint64_t seed, uint64_t* hash) {
  if (hashed) return read_hash(object, index, hash);
  Key key;
  if (!key.read(object, index)) return false;
  *hash = crivo_hash(key.data(), key.size(), seed);
  return true;
}

}  // namespace crivo::python
