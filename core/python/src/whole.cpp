// Operations on a whole filter: facts, estimates, serialization, verification, clock, clear(), and operations with
// another filter. While an operation reads the whole filter, other threads can run Python.
#include <cmath>

#include "errors.h"
#include "filter.h"

namespace crivo::python {
namespace {

bool read_facts(PyObject* self, crivo_facts* facts) {
  as_filter(self)->turns.wait_to_read();
  facts->size = sizeof *facts;
  crivo_error error;
  return succeeded(crivo_get_facts(as_filter(self)->handle, facts, &error), error);
}

Filter* other_filter(PyTypeObject* type, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  return other_object<Filter>("a Filter", type, args, count, keywords);
}

/// Runs `crivo_status query(filter, error)`.
template <class Query>
PyObject* query_filter(PyObject* self, Query&& query, PyObject* filename = Py_None) {
  Filter* filter = as_filter(self);
  const auto work = [&](crivo_error* error) { return query(filter->handle, error); };
  if (!in_turn(&filter->turns, nullptr, work, filename)) return nullptr;
  Py_RETURN_NONE;
}

/// Runs `crivo_status change(filter, other, error)`.
template <class Change>
PyObject* change_filter(PyObject* self, Filter* other, Change&& change) {
  if (other == nullptr) return nullptr;
  Filter* filter = as_filter(self);
  const auto work = [&](crivo_error* error) { return change(filter->handle, other->handle, error); };
  if (!in_turn(&other->turns, &filter->turns, work)) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace

Py_ssize_t filter_len(PyObject* self) {
  crivo_facts facts{};
  if (!read_facts(self, &facts)) return -1;
  if (facts.keys <= PY_SSIZE_T_MAX) return static_cast<Py_ssize_t>(facts.keys);
  PyErr_SetString(PyExc_OverflowError, "the filter has more keys than len() can return");
  return -1;
}

int filter_bool(PyObject* self) {
  crivo_facts facts{};
  return read_facts(self, &facts) ? static_cast<int>(facts.keys != 0) : -1;
}

PyObject* filter_facts(PyObject* self, PyObject* /*unused*/) {
  crivo_facts facts{};
  if (!read_facts(self, &facts)) return nullptr;
  return Py_BuildValue("sKdKKIIKKIN", facts.kind, facts.capacity, facts.fp_rate, facts.keys, facts.units, facts.k,
                       facts.param, facts.seed, facts.payload_bytes, facts.can, PyBool_FromLong(facts.read_only));
}

PyObject* filter_stats(PyObject* self, PyObject* /*unused*/) {
  Filter* filter = as_filter(self);
  crivo_stats stats{};
  stats.size = sizeof stats;
  const auto query = [&](crivo_error* error) { return crivo_get_stats(filter->handle, &stats, error); };
  if (!in_turn(&filter->turns, nullptr, query)) return nullptr;
  return Py_BuildValue("KKdd", stats.bits, stats.bits_set, stats.current_fp_rate, stats.cardinality);
}

PyObject* filter_blob(PyObject* self, PyObject* args) {
  int form = 0;
  int level = 0;
  if (!PyArg_ParseTuple(args, "ii:_blob", &form, &level)) return nullptr;
  Filter* filter = as_filter(self);
  while (true) {
    filter->turns.wait_to_read();
    const uint64_t bound = crivo_blob_bound(filter->handle);
    if (bound > PY_SSIZE_T_MAX) return PyErr_NoMemory();
    Ref blob(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bound)));
    if (!blob) return nullptr;
    char* bytes = PyBytes_AsString(blob.get());
    crivo_error error;
    uint64_t written = 0;
    Turn turn(&filter->turns, nullptr);
    const crivo_status status = crivo_write(filter->handle, form, level, bytes, bound, &written, &error);
    turn.end();
    if (status == CRIVO_OK) {  // a raw blob fills its buffer
      return written == bound ? blob.release() : PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(written));
    }
    // The filter may have grown in another thread while this one waited for its turn.
    filter->turns.wait_to_read();
    if (status != CRIVO_TOO_LARGE || crivo_blob_bound(filter->handle) <= bound) return raise(error);
  }
}

PyObject* filter_save(PyObject* self, PyObject* args) {
  Path path;
  int form = 0;
  int level = 0;
  if (!PyArg_ParseTuple(args, "O&ii:_save", read_path, &path, &form, &level)) return nullptr;
  const auto save = [&](const crivo_filter* filter, crivo_error* error) {
    return crivo_save(filter, path.bytes(), form, level, error);
  };
  return query_filter(self, save, path.name.get());
}

PyObject* filter_verify(PyObject* self, PyObject* /*unused*/) { return query_filter(self, crivo_verify); }

PyObject* filter_advance(PyObject* self, PyObject* seconds) {
  const double time = PyFloat_AsDouble(seconds);
  if (time == -1 && PyErr_Occurred() != nullptr) return nullptr;
  const double milliseconds = std::round(time * 1e3);
  const auto whole =
      milliseconds >= 0 && milliseconds <= 253402300799999 ? static_cast<int64_t>(milliseconds) : int64_t{-1};
  if (whole < 0) {
    raise_bad_argument("time must be seconds since 1970, up to the year 9999, got %S", seconds);
    return nullptr;
  }
  return change_filter(self, as_filter(self),
                       [whole](crivo_filter* filter, const crivo_filter* /*same*/, crivo_error* error) {
                         return crivo_advance(filter, whole, error);
                       });
}

PyObject* filter_clear(PyObject* self, PyObject* /*unused*/) {
  return change_filter(self, as_filter(self),
                       [](crivo_filter* filter, const crivo_filter* /*same*/, crivo_error* error) {
                         return crivo_clear(filter, error);
                       });
}

PyObject* filter_unite(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) {
  return change_filter(self, other_filter(type, args, count, keywords), crivo_unite);
}

PyObject* filter_intersect(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                           PyObject* keywords) {
  return change_filter(self, other_filter(type, args, count, keywords), crivo_intersect);
}

PyObject* filter_compare(PyObject* self, PyTypeObject* type, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
  Filter* filter = as_filter(self);
  Filter* other = other_filter(type, args, count, keywords);
  if (other == nullptr) return nullptr;
  crivo_similarity similarity{};
  similarity.size = sizeof similarity;
  const auto query = [&](crivo_error* error) {
    return crivo_compare(filter->handle, other->handle, &similarity, error);
  };
  // Both filters are only read, but a Turn can read only one, so it locks the other for a change.
  if (!in_turn(&filter->turns, &other->turns, query)) return nullptr;
  return Py_BuildValue("ddddd", similarity.first, similarity.second, similarity.united, similarity.common,
                       similarity.jaccard);
}

}  // namespace crivo::python
