// A Python object as a key: the same bytes for which SQL, C++ and the shell know the same value.
#pragma once

#include "crivo.h"
#include "items.h"
#include "python.h"

namespace crivo::python {

/// The place of a key that was given alone, and not among others.
constexpr Py_ssize_t kAlone = -1;

/// Reads the bytes of one key. They stay where they are until the Key dies or Python code runs.
///
/// A str is its UTF-8, and bytes, bytearray and memoryview are themselves. An int (or what has __index__) is its
/// decimal digits, and a bool the int that it is. A float is the int that it equals, if that has 64 bits, and else the
/// shortest text that reads back as itself. An item of an array, such as NumPy's float32, is what the array has there.
class Key {
 public:
  Key() = default;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() {
    if (has_buffer_) PyBuffer_Release(&buffer_);
  }

  /// Call once. False with an exception: a TypeError that names the type and, unless it is kAlone, the index; or what
  /// the object itself raised.
  [[nodiscard]] bool read(PyObject* object, Py_ssize_t index = kAlone) {
    // The frequent ones, which are told by a comparison; of what is derived from them, the type must be asked.
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
  Py_buffer buffer_;  // left as it is: to clear it would take as long as to hash a key
};

/// The ordered number of a key: of bytes, or of an int, or what has __index__, of 64 bits. False with an exception for
/// any other, as a str and a float may be meant in another order.
[[nodiscard]] bool read_ordered(PyObject* object, Py_ssize_t index, uint64_t* number, bool* is_bytes);

/// The hash of a key, as a filter knows it; or with `hashed` the object itself, an int of 64 bits. False with an
/// exception.
[[nodiscard]] bool hash_key(PyObject* object, Py_ssize_t index, bool hashed, const Hashing& hashing, uint64_t* hash);

}  // namespace crivo::python
