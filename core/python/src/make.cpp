// Makes filters from options and keys, from bytes, and from other filters.
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "blocks.h"
#include "filter.h"
#include "values.h"

namespace crivo::python {
namespace {

/// In C, 0 means the default; in Python, None or a missing argument does.
bool read_optional(const char* name, PyObject* value, uint64_t least, uint64_t* field, const char* most = "2^64 - 1") {
  return value == nullptr || value == Py_None || read_integer(name, value, least, field, most);
}

bool read_real(const char* name, PyObject* value, const char* allowed, double* field) {
  if (value == nullptr || value == Py_None) return true;
  *field = PyFloat_AsDouble(value);
  if (*field == -1 && PyErr_Occurred() != nullptr) {
    return PyErr_ExceptionMatches(PyExc_TypeError) == 0 ? false : refuse_type(name, "a number", value);
  }
  if (*field != 0) return true;
  return raise_bad_argument("%s must %s, got 0", name, allowed);
}

bool read_threads(PyObject* value, uint32_t* threads) {
  uint64_t wanted = 1;
  if (!read_optional("threads", value, 1, &wanted)) return false;
  *threads = static_cast<uint32_t>(std::min<uint64_t>(wanted, UINT32_MAX));
  return true;
}

/// Blocks a thread that Python wants to end, until the process ends.
void stay(void* /*unused*/) {
  while (true) pause();
}

/// The library's progress callback: checks for Ctrl-C, and calls the caller's function.
///
/// While the process exits, Python before 3.14 calls pthread_exit in a thread that requests the GIL. That unwinds the
/// stack, and would abort the process at the library's functions, which are noexcept. Therefore the thread blocks
/// forever, as Python does from 3.14 on.
struct Progress {
  PyObject* callback;    // may be null
  PyThreadState* state;  // while the GIL is released
  bool in_main_thread;   // Python handles signals only in the main thread
  bool continues = true;

  static int report(double done, void* data) {
    auto* progress = static_cast<Progress*>(data);
    if (progress->callback == nullptr && !progress->in_main_thread) return 0;
    pthread_cleanup_push(&stay, nullptr);
    progress->call_python(done);
    pthread_cleanup_pop(0);
    return progress->continues ? 0 : 1;
  }

 private:
  void call_python(double done) {
    PyEval_RestoreThread(state);
    continues = PyErr_CheckSignals() == 0;
    if (continues && callback != nullptr) {
      const Ref result(PyObject_CallFunction(callback, "d", done));
      continues = static_cast<bool>(result);
    }
    state = PyEval_SaveThread();
  }
};

/// Whether this is Python's main thread. False with an exception set if Python code fails, for example by Ctrl-C.
bool in_main_thread() {
  const Ref threading(PyImport_ImportModule("threading"));
  const Ref main(threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr) : nullptr);
  const Ref ident(main ? PyObject_GetAttrString(main.get(), "ident") : nullptr);
  return ident && PyLong_AsUnsignedLong(ident.get()) == PyThread_get_thread_ident();
}

/// Owns a crivo_builder. Adds the keys of arrays, and builds the filter, without the GIL.
class Builder {
 public:
  /// Borrows the progress callback, which may be null, and the folder, which appears in errors.
  Builder(PyObject* callback, PyObject* temp_folder)
      : progress_{callback, nullptr, in_main_thread()}, temp_folder_(temp_folder) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { crivo_builder_free(builder_); }

  bool start(crivo_options options) {
    if (PyErr_Occurred() != nullptr) return false;  // set by in_main_thread()
    options.progress = &Progress::report;
    options.progress_data = &progress_;
    crivo_error error;
    return succeeded(crivo_builder_create(&options, &builder_, &error), error, temp_folder_);
  }

  bool add(PyObject* keys, bool hashed, const Hashing& hashing) {
    const auto add = [&](const uint64_t* hashes, size_t count, crivo_error* error) {
      return crivo_builder_add_hashes(builder_, hashes, count, error);
    };
    return change_by_blocks(keys, hashed, hashing, nullptr, add, temp_folder_);  // only this thread has the builder
  }

  /// Adds keys with values: one by one from iterables, or without the GIL from two arrays.
  bool add_pairs(PyObject* keys, PyObject* values_object, bool hashed, const Hashing& hashing) {
    Values values;
    Array array;
    uint64_t taken[kBlock];
    if (!values.open(values_object)) return false;
    const Array::Opened opened = values.is_array() ? array.open(keys, hashed, hashing) : Array::Opened::kOther;
    if (opened == Array::Opened::kFailed) return false;
    if (opened == Array::Opened::kArray && array.size() == values.size()) {
      return each_block(
          array, [] { return Turn(nullptr, nullptr); },
          [&](const uint64_t* hashes, size_t count, crivo_error* error) {
            const crivo_status status = values.read_items(count, taken, error);
            return status != CRIVO_OK ? status : add_pairs(hashes, taken, count, error);
          },
          temp_folder_);
    }
    const auto add = [&](const uint64_t* hashes, size_t count) {
      crivo_error error;
      return values.read_next(count, taken) && succeeded(add_pairs(hashes, taken, count, &error), error, temp_folder_);
    };
    return each_block(keys, hashed, hashing, add) && values.end();
  }

  /// Adds keys of an exact filter: members have the value 1, non-members 0.
  bool add_side(PyObject* keys, uint64_t value, bool hashed, const Hashing& hashing) {
    uint64_t same[kBlock];
    std::fill_n(same, kBlock, value);
    const auto add = [&](const uint64_t* hashes, size_t count, crivo_error* error) {
      return add_pairs(hashes, same, count, error);
    };
    return change_by_blocks(keys, hashed, hashing, nullptr, add, temp_folder_);
  }

  bool finish(crivo_filter** filter) {
    crivo_error error;
    progress_.state = PyEval_SaveThread();
    const crivo_status status = crivo_builder_finish(builder_, filter, &error);
    PyEval_RestoreThread(progress_.state);
    return succeeded(status, error, temp_folder_);
  }

 private:
  crivo_status add_pairs(const uint64_t* hashes, const uint64_t* values, size_t count, crivo_error* error) {
    return crivo_builder_add_hash_values(builder_, hashes, values, count, error);
  }

  crivo_builder* builder_ = nullptr;
  Progress progress_;
  PyObject* temp_folder_;
};

/// The arguments of Filter(); null or None if not given.
struct Arguments {
  PyObject* keys = Py_None;
  PyObject* fp_rate = nullptr;
  PyObject* kind = Py_None;
  PyObject* capacity = nullptr;
  PyObject* bits_per_key = nullptr;
  PyObject* seed = nullptr;
  PyObject* threads = nullptr;
  PyObject* max_bytes = nullptr;
  PyObject* max_memory = nullptr;
  PyObject* temp_folder = Py_None;
  PyObject* progress = Py_None;
  PyObject* values = Py_None;
  PyObject* others = Py_None;
  int hashed = 0;

  bool parse(PyObject* args, PyObject* keywords) {
    if (keywords != nullptr && PyDict_GetItemString(keywords, "fpr") != nullptr) {
      PyErr_SetString(PyExc_TypeError, "fpr must be spelled fp_rate, got fpr");
      return false;
    }
    static const char* names[] = {"keys",     "fp_rate", "kind",      "capacity",   "bits_per_key",
                                  "seed",     "threads", "max_bytes", "max_memory", "temp_folder",
                                  "progress", "_values", "_others",   "hashed",     nullptr};
    return PyArg_ParseTupleAndKeywords(args, keywords, "|OOO$OOOOOOOOOOp:Filter", const_cast<char**>(names), &keys,
                                       &fp_rate, &kind, &capacity, &bits_per_key, &seed, &threads, &max_bytes,
                                       &max_memory, &temp_folder, &progress, &values, &others, &hashed) != 0;
  }

  /// The options borrow from the arguments, and from `folder`, which receives the bytes of temp_folder.
  [[nodiscard]] bool read(crivo_options* options, Path* folder) const {
    return read_kind(&options->kind) && read_optional("capacity", capacity, 1, &options->capacity, "2^40") &&
           read_optional("seed", seed, 0, &options->seed) &&
           read_optional("max_bytes", max_bytes, 1, &options->max_bytes) &&
           read_optional("max_memory", max_memory, 16 << 20, &options->max_memory) &&
           read_threads(threads, &options->threads) && read_size(options) && read_folder(&options->temp_folder, folder);
  }

 private:
  [[nodiscard]] bool read_kind(const char** name) const {
    if (kind == Py_None) return true;
    if (PyUnicode_Check(kind) == 0) return refuse_type("kind", "a str", kind);
    Py_ssize_t size = 0;
    *name = PyUnicode_AsUTF8AndSize(kind, &size);
    if (*name != nullptr && std::strlen(*name) == static_cast<size_t>(size)) return true;
    PyErr_Clear();
    return raise_bad_argument("kind must be one of crivo.kinds(), or \"compressed\", got %A", kind);
  }

  [[nodiscard]] bool read_size(crivo_options* options) const {
    if (!read_real("fp_rate", fp_rate, "be in (0, 1)", &options->fp_rate) ||
        !read_real("bits_per_key", bits_per_key, "be above 0 and at most 1000", &options->bits_per_key)) {
      return false;
    }
    if (options->fp_rate == 0 || options->bits_per_key == 0) return true;
    return raise_bad_argument("fp_rate must be None if bits_per_key is set, got %S", fp_rate);
  }

  [[nodiscard]] bool read_folder(const char** name, Path* folder) const {
    if (temp_folder == Py_None) return true;
    if (read_path(temp_folder, folder) == 0) return false;
    *name = folder->bytes();
    return true;
  }
};

/// Whether this kind, with or without an option, has this CRIVO_CAN_ bit.
bool can(std::string_view kind, uint32_t bit) {
  const std::string_view name = kind.substr(0, kind.find(':'));
  for (size_t i = 0; crivo_kind_name(i) != nullptr; ++i) {
    if (name == crivo_kind_name(i)) return (crivo_kind_can(i) & bit) != 0;
  }
  return false;
}

bool make(const Arguments& arguments, const crivo_options& options, crivo_filter** made) {
  if (arguments.keys == Py_None) {
    crivo_error error;
    const crivo_status status = crivo_create(&options, made, &error);
    if (status == CRIVO_BAD_ARGUMENT && options.capacity == 0 &&
        std::string_view(error.message).starts_with("capacity")) {
      return raise_bad_argument("capacity must be set if there are no keys, got neither");
    }
    return succeeded(status, error);
  }
  if (arguments.values == Py_None && options.kind != nullptr && can(options.kind, CRIVO_CAN_FIND)) {
    return raise_bad_argument("kind must have keys without values, got %s; use crivo.Map", options.kind);
  }
  if (arguments.others == Py_None && options.kind != nullptr && can(options.kind, CRIVO_CAN_EXACT)) {
    return raise_bad_argument("kind must need only one set of keys, got %s; use Filter.exact()", options.kind);
  }
  if (!check_many(arguments.keys) || (arguments.others != Py_None && !check_many(arguments.others))) return false;
  const Hashing hashing{options.seed, options.kind != nullptr && can(options.kind, CRIVO_CAN_RANGE)};
  Builder builder(arguments.progress == Py_None ? nullptr : arguments.progress, arguments.temp_folder);
  const bool hashed = arguments.hashed != 0;
  const auto add_all = [&] {
    if (arguments.others != Py_None) {
      return builder.add_side(arguments.keys, 1, hashed, hashing) &&
             builder.add_side(arguments.others, 0, hashed, hashing);
    }
    return arguments.values == Py_None ? builder.add(arguments.keys, hashed, hashing)
                                       : builder.add_pairs(arguments.keys, arguments.values, hashed, hashing);
  };
  return builder.start(options) && add_all() && builder.finish(made);
}

/// Runs `crivo_status read(&limits, &filter, error)`, which reads a filter within a byte limit.
template <class Read>
PyObject* make_limited(PyObject* type, PyObject* max_bytes, PyObject* filename, Read&& read) {
  crivo_limits limits{};
  limits.size = sizeof limits;
  if (!read_optional("max_bytes", max_bytes, 1, &limits.max_bytes)) return nullptr;
  crivo_filter* filter = nullptr;
  const auto read_it = [&](crivo_error* error) { return read(&limits, &filter, error); };
  if (!in_turn(nullptr, nullptr, read_it, filename)) return nullptr;
  return wrap(reinterpret_cast<PyTypeObject*>(type), filter);
}

/// Calls crivo_guard_files once per process: a mapped file that shrinks must cause an error, not end Python.
crivo_status guard_files(crivo_error* error) {
  static std::atomic<bool> guarded{false};
  if (guarded.exchange(true)) return CRIVO_OK;
  const crivo_status status = crivo_guard_files(error);
  if (status != CRIVO_OK) guarded = false;
  return status;
}

/// Runs `crivo_status derive(handle, &derived, error)`, which makes a new filter from another.
template <class Derive>
PyObject* derive_filter(PyObject* self, Derive&& derive) {
  Filter* filter = as_filter(self);
  crivo_filter* derived = nullptr;
  const auto derive_it = [&](crivo_error* error) { return derive(filter->handle, &derived, error); };
  return in_turn(&filter->turns, nullptr, derive_it) ? wrap(Py_TYPE(self), derived) : nullptr;
}

}  // namespace

PyObject* wrap(PyTypeObject* type, crivo_filter* handle) {
  crivo_facts facts{};
  facts.size = sizeof facts;
  crivo_error error;
  PyObject* self = succeeded(crivo_get_facts(handle, &facts, &error), error) ? PyType_GenericAlloc(type, 0) : nullptr;
  if (self == nullptr) {
    crivo_free(handle);
    return nullptr;
  }
  as_filter(self)->handle = handle;
  as_filter(self)->hashing = {facts.seed, (facts.can & CRIVO_CAN_RANGE) != 0};
  return self;  // its memory is zeroed: no turn is active
}

PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  Arguments arguments;
  crivo_options options{};
  options.size = sizeof options;
  Path folder;
  if (!arguments.parse(args, keywords) || !arguments.read(&options, &folder)) return nullptr;
  if (arguments.progress != Py_None && PyCallable_Check(arguments.progress) == 0) {
    PyErr_SetString(PyExc_TypeError, "progress must be callable or None");
    return nullptr;
  }
  crivo_filter* made = nullptr;
  return make(arguments, options, &made) ? wrap(type, made) : nullptr;
}

PyObject* filter_read(PyObject* type, PyObject* args) {
  Py_buffer blob;
  PyObject* max_bytes = nullptr;
  if (!PyArg_ParseTuple(args, "y*O:_read", &blob, &max_bytes)) return nullptr;
  // Another thread may write to any object but bytes, so validate a copy.
  const bool copied = PyBytes_Check(blob.obj) == 0;
  void* const copy = copied ? PyMem_Malloc(static_cast<size_t>(blob.len)) : nullptr;
  const auto read = [&](const crivo_limits* limits, crivo_filter** filter, crivo_error* error) {
    if (copied) std::memcpy(copy, blob.buf, static_cast<size_t>(blob.len));
    return crivo_read(copied ? copy : blob.buf, static_cast<uint64_t>(blob.len), limits, filter, error);
  };
  PyObject* made = copied && copy == nullptr ? PyErr_NoMemory() : make_limited(type, max_bytes, Py_None, read);
  PyMem_Free(copy);
  PyBuffer_Release(&blob);
  return made;
}

PyObject* filter_open(PyObject* type, PyObject* args) {
  Path path;
  PyObject* max_bytes = nullptr;
  if (!PyArg_ParseTuple(args, "O&O:_open", read_path, &path, &max_bytes)) return nullptr;
  crivo_error error;
  if (!succeeded(guard_files(&error), error)) return nullptr;
  return make_limited(type, max_bytes, path.name.get(),
                      [&](const crivo_limits* limits, crivo_filter** filter, auto* failure) {
                        return crivo_open(path.bytes(), limits, filter, failure);
                      });
}

PyObject* filter_copy(PyObject* self, PyObject* /*unused*/) { return derive_filter(self, crivo_copy); }

PyObject* filter_drop_counts(PyObject* self, PyObject* /*unused*/) { return derive_filter(self, crivo_drop_counts); }

}  // namespace crivo::python
