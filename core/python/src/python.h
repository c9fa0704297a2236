// Python's C interface, limited to what every version from 3.11 on has: one compiled module serves them all. (3.11 is
// the first whose limited interface has the buffer protocol, by which arrays are read.)
//
// The module is compiled without C++ exceptions: at its end, Python unwinds the stacks of threads that still run, and
// nothing in this code may catch or stop that.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <utility>

namespace crivo::python {

/// Holds a reference to an object, or to none.
class Ref {
 public:
  Ref() = default;
  /// Takes over the reference that the caller has.
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace crivo::python
