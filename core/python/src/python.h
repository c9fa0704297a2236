// Python's C API, limited to the stable subset of 3.11 and later, so that one compiled module serves all versions.
// (3.11 is the first version whose limited API has the buffer protocol, which reads arrays.)
//
// In this folder, "false with an exception" means that a function returns false and has set a Python exception. The
// module is compiled without C++ exceptions. When Python ends, it unwinds the stacks of running threads, and this code
// must not catch or stop that.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <utility>

namespace crivo::python {

/// Owns a reference to an object, or none.
class Ref {
 public:
  Ref() = default;
  /// Takes ownership of the caller's reference.
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
