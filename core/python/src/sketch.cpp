// The type crivo._crivo.Sketch, the base of crivo.Sketch (crivo/_sketch.py).
#include "blocks.h"
#include "filter.h"
#include "key.h"

namespace crivo::python {
namespace {

/// A Python object. Its sketch is never null.
struct Sketch {
  PyObject ob_base;  // the name that Python's macros expect
  crivo_sketch* handle;
  Hashing hashing;
  uint32_t key_type;  // as in crivo_sketch_facts
  Turns turns;
};

constexpr uint32_t kHashes = 0;
constexpr uint32_t kBytes = 1;
constexpr uint32_t kIntegers = 2;

Sketch* as_sketch(PyObject* object) { return reinterpret_cast<Sketch*>(object); }

crivo_sketch_facts facts_of(const crivo_sketch* handle) {
  crivo_sketch_facts facts{};
  facts.size = sizeof facts;
  return crivo_sketch_get_facts(handle, &facts, nullptr) == CRIVO_OK ? facts : crivo_sketch_facts{};
}

/// A new object of this type, which takes ownership of the sketch, also on failure.
PyObject* wrap_sketch(PyTypeObject* type, crivo_sketch* handle) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) {
    crivo_sketch_free(handle);
    return nullptr;
  }
  const crivo_sketch_facts facts = facts_of(handle);
  Sketch* sketch = as_sketch(object);
  sketch->handle = handle;
  sketch->hashing = {facts.seed, false};
  sketch->key_type = facts.key_type;
  new (&sketch->turns) Turns();
  return object;
}

PyObject* sketch_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"symbols", "keys", "first", "seed", "max_bytes", nullptr};
  PyObject* numbers[4] = {};
  crivo_sketch_options options{};
  options.size = sizeof options;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsOOO:Sketch", const_cast<char**>(names), &numbers[0],
                                   &options.keys, &numbers[1], &numbers[2], &numbers[3])) {
    return nullptr;
  }
  if (!read_integer("symbols", numbers[0], 1, &options.symbols, "2^32")) return nullptr;
  if (!read_integer("first", numbers[1], 0, &options.first)) return nullptr;
  if (!read_integer("seed", numbers[2], 0, &options.seed)) return nullptr;
  if (numbers[3] != Py_None && !read_integer("max_bytes", numbers[3], 1, &options.max_bytes)) return nullptr;
  crivo_error error;
  crivo_sketch* made = nullptr;
  if (!succeeded(crivo_sketch_create(&options, &made, &error), error)) return nullptr;
  return wrap_sketch(type, made);
}

/// Reads a signed 64-bit int. False with an exception.
bool read_number(PyObject* object, uint64_t* number) {
  if (PyIndex_Check(object) == 0) return refuse_type("key", "an int in a sketch of integers", object);
  const Ref index(PyNumber_Index(object));
  if (!index) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow != 0) return raise_bad_argument("key must be an integer from -2^63 to 2^63 - 1, got %R", object);
  *number = static_cast<uint64_t>(value);
  return PyErr_Occurred() == nullptr;
}

/// Adds a key to a sketch, or removes a key. False with an exception.
bool change_key(Sketch* sketch, PyObject* object, bool add, Py_ssize_t place = kAlone) {
  crivo_error error;
  if (sketch->key_type == kIntegers) {
    uint64_t number = 0;
    if (!read_number(object, &number)) return false;
    sketch->turns.wait_to_write();
    const auto change = add ? crivo_sketch_add_numbers : crivo_sketch_remove_numbers;
    return succeeded(change(sketch->handle, &number, 1, &error), error);
  }
  if (sketch->key_type == kBytes && (PyIndex_Check(object) != 0 || PyFloat_Check(object) != 0)) {
    return refuse_type("key", "bytes or a str in a sketch of bytes", object);
  }
  Key key;
  if (!key.read(object, place)) return false;
  sketch->turns.wait_to_write();
  const auto change = add ? crivo_sketch_add : crivo_sketch_remove;
  return succeeded(change(sketch->handle, key.data(), key.size(), &error), error);
}

PyObject* sketch_add(PyObject* self, PyObject* key) {
  if (!change_key(as_sketch(self), key, true)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* sketch_remove(PyObject* self, PyObject* key) {
  if (!change_key(as_sketch(self), key, false)) return nullptr;
  Py_RETURN_NONE;
}

bool add_each(Sketch* sketch, PyObject* keys) {
  const Ref iterator(PyObject_GetIter(keys));
  if (!iterator) return false;
  for (Py_ssize_t place = 0;; ++place) {
    const Ref key(PyIter_Next(iterator.get()));
    if (!key) return PyErr_Occurred() == nullptr;
    if (!change_key(sketch, key.get(), true, place)) return false;
    if (static_cast<size_t>(place) % kItemsPerTurn == kItemsPerTurn - 1 && !let_others_run()) return false;
  }
}

PyObject* sketch_update(PyObject* self, PyObject* args) {
  PyObject* keys = nullptr;
  int hashed = 0;
  if (!PyArg_ParseTuple(args, "Op:_update", &keys, &hashed) || !check_many(keys)) return nullptr;
  Sketch* sketch = as_sketch(self);
  if (sketch->key_type != kHashes) {
    if (hashed != 0) {
      raise_bad_argument("hashed must be False in a sketch of the keys themselves, got True");
      return nullptr;
    }
    if (!add_each(sketch, keys)) return nullptr;
    Py_RETURN_NONE;
  }
  const auto add = [&](const uint64_t* hashes, size_t count, crivo_error* error) {
    return crivo_sketch_add_numbers(sketch->handle, hashes, count, error);
  };
  if (!change_by_blocks(keys, hashed != 0, sketch->hashing, &sketch->turns, add)) return nullptr;
  Py_RETURN_NONE;
}

Sketch* other_sketch(PyTypeObject* type, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  return other_object<Sketch>("a Sketch", type, args, count, keywords);
}

template <auto change>
PyObject* sketch_change_by(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords) {
  Sketch* other = other_sketch(type, args, count, keywords);
  if (other == nullptr) return nullptr;
  Sketch* sketch = as_sketch(self);
  const auto work = [&](crivo_error* error) { return change(sketch->handle, other->handle, error); };
  if (!in_turn(other == sketch ? nullptr : &other->turns, &sketch->turns, work)) return nullptr;
  Py_RETURN_NONE;
}

/// The keys of one side as a list.
PyObject* list_of(const Sketch* sketch, const crivo_difference* difference, int32_t side) {
  crivo_keys keys{};
  const uint64_t* numbers = nullptr;
  uint64_t count = 0;
  crivo_error error;
  if (!succeeded(crivo_difference_keys(difference, side, &keys, &error), error)) return nullptr;
  if (sketch->key_type != kBytes &&
      !succeeded(crivo_difference_numbers(difference, side, &numbers, &count, &error), error)) {
    return nullptr;
  }
  Ref list(PyList_New(static_cast<Py_ssize_t>(keys.count)));
  for (uint64_t i = 0; list && i < keys.count; ++i) {
    const char* bytes = static_cast<const char*>(keys.bytes) + i * keys.width;
    PyObject* key = sketch->key_type == kHashes ? PyLong_FromUnsignedLongLong(numbers[i])
                    : sketch->key_type == kIntegers
                        ? PyLong_FromLongLong(static_cast<long long>(numbers[i]))
                        : PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(keys.width));
    if (key == nullptr || PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), key) != 0) return nullptr;
  }
  return list.release();
}

PyObject* sketch_difference(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                            PyObject* keywords) {
  Sketch* other = other_sketch(type, args, count, keywords);
  if (other == nullptr) return nullptr;
  Sketch* sketch = as_sketch(self);
  crivo_difference* difference = nullptr;
  const auto find = [&](crivo_error* error) {
    return crivo_find_difference(sketch->handle, other->handle, &difference, error);
  };
  // Both sketches are only read, but a Turn can read only one, so it locks the other for a change.
  if (!in_turn(other == sketch ? nullptr : &sketch->turns, &other->turns, find)) return nullptr;
  if (difference == nullptr) Py_RETURN_NONE;
  const Ref first(list_of(sketch, difference, 0));
  const Ref second(first ? list_of(sketch, difference, 1) : nullptr);
  crivo_difference_free(difference);
  return second ? PyTuple_Pack(2, first.get(), second.get()) : nullptr;
}

PyObject* sketch_blob(PyObject* self, PyObject* /*unused*/) {
  Sketch* sketch = as_sketch(self);
  sketch->turns.wait_to_read();
  const uint64_t size = crivo_sketch_bytes(sketch->handle);
  if (size > PY_SSIZE_T_MAX) return PyErr_NoMemory();
  Ref blob(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!blob) return nullptr;
  char* bytes = PyBytes_AsString(blob.get());
  const auto write = [&](crivo_error* error) { return crivo_sketch_write(sketch->handle, bytes, size, error); };
  return in_turn(&sketch->turns, nullptr, write) ? blob.release() : nullptr;
}

PyObject* sketch_read(PyObject* type, PyObject* args) {
  Py_buffer blob;
  PyObject* max_bytes = nullptr;
  if (!PyArg_ParseTuple(args, "y*O:_read", &blob, &max_bytes)) return nullptr;
  crivo_limits limits{};
  limits.size = sizeof limits;
  crivo_error error;
  crivo_sketch* made = nullptr;
  const bool fine =
      (max_bytes == Py_None || read_integer("max_bytes", max_bytes, 1, &limits.max_bytes)) &&
      succeeded(crivo_sketch_read(blob.buf, static_cast<uint64_t>(blob.len), &limits, &made, &error), error);
  PyBuffer_Release(&blob);
  return fine ? wrap_sketch(reinterpret_cast<PyTypeObject*>(type), made) : nullptr;
}

PyObject* sketch_facts(PyObject* self, PyObject* /*unused*/) {
  as_sketch(self)->turns.wait_to_read();
  const crivo_sketch_facts facts = facts_of(as_sketch(self)->handle);
  return Py_BuildValue("IIKKKK", facts.key_type, facts.key_bytes, static_cast<unsigned long long>(facts.symbols),
                       static_cast<unsigned long long>(facts.first), static_cast<unsigned long long>(facts.seed),
                       static_cast<unsigned long long>(facts.keys));
}

PyMethodDef sketch_methods[] = {
    {"add", sketch_add, METH_O, "add($self, key, /)\n--\n\nAdd a key that is not in the set."},
    {"remove", sketch_remove, METH_O, "remove($self, key, /)\n--\n\nRemove a key that is in the set."},
    {"_update", sketch_update, METH_VARARGS, nullptr},
    {"_append", method(&sketch_change_by<crivo_sketch_append>), kOther, nullptr},
    {"_combine", method(&sketch_change_by<crivo_sketch_combine>), kOther, nullptr},
    {"_difference", method(sketch_difference), kOther, nullptr},
    {"_blob", sketch_blob, METH_NOARGS, nullptr},
    {"_read", sketch_read, METH_VARARGS | METH_CLASS, nullptr},
    {"_facts", sketch_facts, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot sketch_slots[] = {
    {Py_tp_doc, const_cast<char*>("The compiled base class of crivo.Sketch.")},
    {Py_tp_new, reinterpret_cast<void*>(sketch_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_object<Sketch, crivo_sketch_free>)},
    {Py_tp_methods, sketch_methods},
    {0, nullptr},
};

}  // namespace

PyType_Spec sketch_spec = {"crivo._crivo.Sketch", sizeof(Sketch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           sketch_slots};

}  // namespace crivo::python
