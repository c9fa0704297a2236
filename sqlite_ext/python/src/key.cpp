#include "key.h"

#include "errors.h"

namespace crivo::python {
namespace {

/// Raises a TypeError that says what a key, or keys[index], must be and what it is.
bool refuse(PyObject* object, Py_ssize_t index, const char* wanted) {
  if (index == kAlone) return refuse_type("key", wanted, object);
  const Ref field(PyUnicode_FromFormat("keys[%zd]", index));
  const Ref name(field ? PyUnicode_AsUTF8String(field.get()) : nullptr);
  return name && refuse_type(PyBytes_AsString(name.get()), wanted, object);
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
  const Ref integer(PyIndex_Check(object) != 0 ? PyNumber_Index(object) : nullptr);
  if (integer) return read_integer(integer.get());
  // An array of NumPy's says that it can be an integer, and then refuses unless it has one item.
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
  return refuse(object, index, "str, bytes, int or float");
}

bool hash_key(PyObject* object, Py_ssize_t index, bool hashed, uint64_t seed, uint64_t* hash) {
  if (hashed) return read_hash(object, index, hash);
  Key key;
  if (!key.read(object, index)) return false;
  *hash = crivo_hash(key.data(), key.size(), seed);
  return true;
}

}  // namespace crivo::python
