// A Python object as a key: the same bytes as the same value in SQL, C++ and the shell.
#pragma once

#include "crivo.h"
#include "items.h"
#include "python.h"

namespace crivo::python {

/// The index of a key that was passed alone.
constexpr Py_ssize_t kAlone = -1;

/// Reads the bytes of one key. They are valid until the Key is destroyed or Python code runs.
///
/// The key of a str is its UTF-8; of bytes, bytearray and memoryview, their bytes; of an int (or an object with
/// __index__), its decimal digits. A bool, or a float that equals a 64-bit int, has the key of its int. The key of any
/// other float is the shortest text that reads back as the same float. An item of an array, such as NumPy's float32, is
/// read as in the array.
class Key {
 public:
  Key() = default;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() {
    if (has_buffer_) PyBuffer_Release(&buffer_);
  }

  /// Call once. False with an exception: a TypeError that names the type and, unless index is kAlone, the index; a
  /// crivo.Error for a str that UTF-8 cannot encode; or an exception of the object.
  [[nodiscard]] bool read(PyObject* object, Py_ssize_t index = kAlone) {
    // Frequent types first: an exact check is one comparison. Subclasses need a query of the type.
    if (PyUnicode_CheckExact(object)) return read_text(object, index);
    if (PyBytes_CheckExact(object)) return read_bytes(object);
    if (PyLong_CheckExact(object)) return read_integer(object);
    return read_other(object, index);
  }

  [[nodiscard]] const void* data() const { return data_; }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(size_); }

 private:
  bool read_text(PyObject* text, Py_ssize_t index) {
    data_ = PyUnicode_AsUTF8AndSize(text, &size_);
    return data_ != nullptr || refuse_text(text, index);
  }
  bool read_bytes(PyObject* bytes) {
    char* data = nullptr;
    if (PyBytes_AsStringAndSize(bytes, &data, &size_) != 0) return false;
    data_ = data;
    return true;
  }
  bool refuse_text(PyObject* text, Py_ssize_t index);
  bool read_other(PyObject* object, Py_ssize_t index);
  bool read_item(PyObject* object);
  bool read_integer(PyObject* integer);
  bool read_digits(PyObject* integer);

  const void* data_ = nullptr;
  Py_ssize_t size_ = 0;
  char number_[CRIVO_NUMBER_KEY_BYTES];
  Ref text_;
  bool has_buffer_ = false;
  Py_buffer buffer_;  // uninitialized: clearing it would take as long as hashing a key
};

/// The ordered number of a key: bytes, or a 64-bit int or object with __index__. False with an exception for other
/// keys, because the intended order of a str or a float is unclear.
[[nodiscard]] bool read_ordered(PyObject* object, Py_ssize_t index, uint64_t* number, bool* is_bytes);

/// The hash by which a filter identifies a key; with `hashed`, the object itself, an int of 64 bits. False with an
/// exception.
[[nodiscard]] bool hash_key(PyObject* object, Py_ssize_t index, bool hashed, const Hashing& hashing, uint64_t* hash);

}  // namespace crivo::python
