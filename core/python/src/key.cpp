#include "key.h"

#include "errors.h"
#include "items.h"

namespace crivo::python {
namespace {

/// "key" or "keys[index]"; null with an exception.
Ref field_of(Py_ssize_t index) {
  return Ref(index == kAlone ? PyUnicode_FromString("key") : PyUnicode_FromFormat("keys[%zd]", index));
}

/// Raises a TypeError with the wanted and the actual type of a key, or of keys[index].
bool refuse(PyObject* object, Py_ssize_t index, const char* wanted) {
  const Ref field = field_of(index);
  const Ref name(field ? PyUnicode_AsUTF8String(field.get()) : nullptr);
  return name && refuse_type(PyBytes_AsString(name.get()), wanted, object);
}

bool read_hash(PyObject* object, Py_ssize_t index, uint64_t* hash) {
  if (!PyIndex_Check(object)) return refuse(object, index, "an int if hashed is true");
  const Ref integer(PyNumber_Index(object));
  if (!integer) return false;
  *hash = PyLong_AsUnsignedLongLong(integer.get());
  if (*hash != UINT64_MAX || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return raise_bad_argument("keys[%zd] must be an int from 0 to 2^64 - 1 if hashed is true", index);
}

}  // namespace

/// Raises an Error instead of the UnicodeEncodeError, which does not name the key.
bool Key::refuse_text(PyObject* text, Py_ssize_t index) {
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref owned[] = {Ref(type), Ref(value), Ref(traceback)};
  Py_ssize_t at = 0;
  if (PyUnicodeEncodeError_GetStart(value, &at) != 0) return false;
  const Ref field = field_of(index);
  const Ref surrogate(field ? PyUnicode_Substring(text, at, at + 1) : nullptr);
  if (!surrogate) return false;
  return raise_bad_argument("%U must be text that UTF-8 can encode, got the lone surrogate %A at index %zd",
                            field.get(), surrogate.get(), at);
}

bool Key::read_integer(PyObject* integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) return read_digits(integer);
  if (value == -1 && PyErr_Occurred() != nullptr) return false;
  size_ = static_cast<Py_ssize_t>(crivo_integer_key(value, number_));
  data_ = number_;
  return true;
}

/// Python's integers have no limit. The key of an integer of more than 64 bits is its decimal digits, too. Python
/// refuses to convert more than a few thousand digits to text (sys.set_int_max_str_digits), so the module decimal
/// converts them.
bool Key::read_digits(PyObject* integer) {
  text_ = Ref(PyNumber_ToBase(integer, 10));
  if (!text_ && PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
    PyErr_Clear();
    const Ref module(PyImport_ImportModule("decimal"));
    const Ref decimal(module ? PyObject_CallMethod(module.get(), "Decimal", "O", integer) : nullptr);
    text_ = Ref(decimal ? PyObject_Str(decimal.get()) : nullptr);
  }
  return text_ && read_text(text_.get(), kAlone);
}

/// False without an exception if the object is not an item of an array.
bool Key::read_item(PyObject* object) {
  if (PyObject_CheckBuffer(object) == 0 || has_mask(object)) return false;
  has_buffer_ = PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) == 0;
  if (!has_buffer_) PyErr_Clear();
  const Items items = has_buffer_ && buffer_.ndim == 0 ? items_of(buffer_) : Items::kUnknown;
  if (items == Items::kUnknown) return false;
  const auto* item = static_cast<const char*>(buffer_.buf);
  const ItemKey key = item_key(items, item, static_cast<size_t>(buffer_.itemsize), number_);
  data_ = key.data;
  size_ = static_cast<Py_ssize_t>(key.size);
  return true;
}

bool Key::read_other(PyObject* object, Py_ssize_t index) {
  if (PyUnicode_Check(object)) return read_text(object, index);
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
  if (read_item(object)) return true;
  const Ref integer(PyIndex_Check(object) != 0 ? PyNumber_Index(object) : nullptr);
  if (integer) return read_integer(integer.get());
  // A NumPy array claims to convert to an integer, but fails unless it has one item.
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
  return refuse(object, index, "str, bytes, int or float");
}

bool read_ordered(PyObject* object, Py_ssize_t index, uint64_t* number, bool* is_bytes) {
  *is_bytes = PyBytes_Check(object) || PyByteArray_Check(object) || PyMemoryView_Check(object);
  if (*is_bytes) {
    Key key;
    if (!key.read(object, index)) return false;
    *number = crivo_ordered_bytes(key.data(), key.size());
    return true;
  }
  if (PyIndex_Check(object) == 0) {
    return refuse(object, index, "int or bytes for the kind range, as int(x) and x.encode() are");
  }
  const Ref integer(PyNumber_Index(object));
  if (!integer) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (value == -1 && overflow == 0 && PyErr_Occurred() != nullptr) return false;
  *number = crivo_ordered_integer(value);
  if (overflow == 0) return true;
  const Ref field = field_of(index);
  return field &&
         raise_bad_argument("%U must be from -2^63 to 2^63 - 1 for the kind range, got %S", field.get(), integer.get());
}

bool hash_key(PyObject* object, Py_ssize_t index, bool hashed, const Hashing& hashing, uint64_t* hash) {
  if (hashed) return read_hash(object, index, hash);
  bool is_bytes = false;
  if (hashing.ordered) return read_ordered(object, index, hash, &is_bytes);
  Key key;
  if (!key.read(object, index)) return false;
  *hash = crivo_hash_key(key.data(), key.size(), hashing.seed);
  return true;
}

}  // namespace crivo::python
