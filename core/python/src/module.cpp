// The module crivo._crivo: its types and functions, and the documentation of Filter's public methods.
#include "errors.h"
#include "filter.h"
#include "key.h"
#include "turns.h"

namespace crivo::python {
namespace {

constexpr const char* kFilterDoc =
    R"(Filter(keys=None, fp_rate=None, kind="blocked", *, capacity=None, bits_per_key=None, seed=0, threads=1, max_bytes=None, max_memory=None, temp_folder=None, progress=None, hashed=False)
--

The compiled base class of crivo.Filter.)";

constexpr const char* kAddDoc = R"(add($self, key, /)
--

Add a key.

>>> seen = crivo.Filter(capacity=1000)
>>> seen.add("alpha")
>>> "alpha" in seen
True
)";

constexpr const char* kAddTimesDoc = R"(add_times($self, key, times, /)
--

Add a key `times` times. The filter must support counts (kinds "counting", "spectral", "growing" and "cuckoo").

>>> visits = crivo.Filter(capacity=1000, kind="counting")
>>> visits.add_times("alpha", 3)
>>> visits.count("alpha")
3
)";

constexpr const char* kRemoveDoc = R"(remove($self, key, /)
--

Undo one addition of a key. The filter must support removal (kinds "counting", "growing" and "cuckoo").

Remove only keys that were added: removing a false positive can make the filter lose another key. Raises Error if the
key is certainly absent.

>>> present = crivo.Filter(["alpha", "beta"], kind="counting")
>>> present.remove("alpha")
>>> "alpha" in present, "beta" in present
(False, True)
)";

constexpr const char* kCountDoc = R"(count($self, key, /)
--

How often a key was added, minus the removals. May be too high, and is too low only beyond the largest count:
"counting" counts up to 15, and "spectral" up to 255.

>>> crivo.Filter(["alpha", "beta", "alpha"], kind="spectral").count("alpha")
2
)";

constexpr const char* kAdvanceDoc = R"(advance($self, time, /)
--

Set the clock of a filter whose keys expire (kind "window"), in seconds since 1970, such as time.time().

Keys added from now on have this time. A key is found for at least the window after its last addition, and for at most
one pane longer. The clock never goes back: an earlier time is ignored. Keys from before the first call get its time.

>>> revoked = crivo.Filter(capacity=80000, kind="window:7 days/7")
>>> day = 86400
>>> revoked.advance(0 * day); revoked.add("token 1")
>>> revoked.advance(4 * day); revoked.add("token 2")
>>> revoked.advance(8 * day)
>>> "token 1" in revoked, "token 2" in revoked
(False, True)
)";

constexpr const char* kClearDoc = R"(clear($self, /)
--

Remove every key and reset the clock. Capacity and rate stay.

>>> seen = crivo.Filter(capacity=1000)
>>> seen.add("alpha")
>>> seen.clear()
>>> "alpha" in seen
False
)";

constexpr const char* kContainsManyDoc = R"(contains_many($self, keys, /, *, hashed=False)
--

Query many keys, which is faster than one query after the other.

Returns a list of bool. For an array (any object with the buffer protocol), returns a memoryview of bool, which
numpy.asarray() turns into an array without a copy. An array contains the same keys as a list of its items, but takes a
fraction of the time, and other threads can run meanwhile. For bytes of a fixed length, such as digests, use NumPy's
"V16" (or another width): NumPy removes trailing NULs from "S16".

With hashed=True, the keys are hashes from crivo.hash_key, and an array must be of uint64.

>>> seen = crivo.Filter(["alpha", "beta"], fp_rate=1e-9)
>>> seen.contains_many(["beta", "gamma"])
[True, False]
>>> import array
>>> numbers = crivo.Filter(range(1000), fp_rate=1e-9)
>>> numbers.contains_many(array.array("q", [7, 5000])).tolist()
[True, False]
>>> hashes = array.array("Q", [crivo.hash_key(7), crivo.hash_key(5000)])
>>> numbers.contains_many(hashes, hashed=True).tolist()
[True, False]
)";

constexpr const char* kContainsRangeDoc = R"(contains_range($self, low, high, /)
--

Whether a filter of kind "range" may contain a key from low to high, both included. Both are ints, or both bytes: keys
that start with high are then included, too. False is certain.

>>> seen = crivo.Filter([1_700_000_000, 1_700_003_000], kind="range:1024")
>>> seen.contains_range(1_700_002_500, 1_700_003_500), seen.contains_range(0, 1023)
(True, False)
)";

constexpr const char* kUpdateDoc = R"(update($self, keys, /, *, hashed=False)
--

Add many keys, from any iterable or from an array, as for contains_many.

If an object is not a key (TypeError with its index), or the filter is full, the keys before it have been added.

>>> seen = crivo.Filter(capacity=1000)
>>> seen.update(f"user{i}" for i in range(1000))
>>> "user7" in seen
True
)";

constexpr const char* kVerifyDoc = R"(verify($self, /)
--

Verify all of a file that crivo.open() opened, so that later queries verify nothing. Raises Error if it is damaged.
)";

constexpr const char* kDropCountsDoc = R"(drop_counts($self, /)
--

Convert a "counting" filter to the "blocked" filter of its present keys, which has a quarter of the bytes.

>>> counting = crivo.Filter(["alpha"], kind="counting")
>>> counting.drop_counts().facts.kind
'blocked'
)";

constexpr const char* kHashKeyDoc = R"(hash_key(key, seed=0, /)
--

The 64-bit hash of a key in filters with this seed: XXH3-64. It never changes between versions.

>>> hex(crivo.hash_key("alpha"))
'0xbe6903b5f625ab5a'
)";

constexpr const char* kFindShardDoc = R"(find_shard(manifest, key, /)
--

Find the only shard of a sharded filter that can contain a key, given the bytes of the manifest.

Returns the shard's number, and the name of its file in the folder "<manifest>.shards". Open that file with crivo.open,
or its bytes with Filter.from_bytes.
)";

constexpr const char* kSketchSymbolsDoc = R"(sketch_symbols(difference, /)
--

The number of symbols that suffices to decode a difference of this many keys, in at least 997 of 1,000 cases.

>>> crivo.sketch_symbols(100)
211
)";

PyMethodDef filter_methods[] = {
    {"add", filter_add, METH_O, kAddDoc},
    {"add_times", filter_add_times, METH_VARARGS, kAddTimesDoc},
    {"remove", filter_remove, METH_O, kRemoveDoc},
    {"count", filter_count, METH_O, kCountDoc},
    {"advance", filter_advance, METH_O, kAdvanceDoc},
    {"clear", filter_clear, METH_NOARGS, kClearDoc},
    {"contains_many", method(filter_contains_many), METH_VARARGS | METH_KEYWORDS, kContainsManyDoc},
    {"contains_range", filter_contains_range, METH_VARARGS, kContainsRangeDoc},
    {"update", method(filter_update), METH_VARARGS | METH_KEYWORDS, kUpdateDoc},
    {"verify", filter_verify, METH_NOARGS, kVerifyDoc},
    {"drop_counts", filter_drop_counts, METH_NOARGS, kDropCountsDoc},
    {"_find", filter_find, METH_O, nullptr},
    {"_find_many", filter_find_many, METH_VARARGS, nullptr},
    {"_copy", filter_copy, METH_NOARGS, nullptr},
    {"_read", filter_read, METH_VARARGS | METH_CLASS, nullptr},
    {"_open", filter_open, METH_VARARGS | METH_CLASS, nullptr},
    {"_facts", filter_facts, METH_NOARGS, nullptr},
    {"_stats", filter_stats, METH_NOARGS, nullptr},
    {"_blob", filter_blob, METH_VARARGS, nullptr},
    {"_save", filter_save, METH_VARARGS, nullptr},
    {"_unite", method(filter_unite), kOther, nullptr},
    {"_intersect", method(filter_intersect), kOther, nullptr},
    {"_compare", method(filter_compare), kOther, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot filter_slots[] = {
    {Py_tp_doc, const_cast<char*>(kFilterDoc)},
    {Py_tp_new, reinterpret_cast<void*>(filter_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_object<Filter, crivo_free>)},
    {Py_tp_methods, filter_methods},
    {Py_sq_contains, reinterpret_cast<void*>(filter_contains)},
    {Py_sq_length, reinterpret_cast<void*>(filter_len)},
    {Py_nb_bool, reinterpret_cast<void*>(filter_bool)},
    {0, nullptr},
};

PyType_Spec filter_spec = {"crivo._crivo.Filter", sizeof(Filter), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           filter_slots};

PyObject* module_hash_key(PyObject* /*module*/, PyObject* args) {
  PyObject* object = nullptr;
  PyObject* number = nullptr;
  if (!PyArg_ParseTuple(args, "O|O:hash_key", &object, &number)) return nullptr;
  uint64_t seed = 0;
  if (number != nullptr && !read_integer("seed", number, 0, &seed)) return nullptr;
  uint64_t hash = 0;
  return hash_key(object, kAlone, false, {seed}, &hash) ? PyLong_FromUnsignedLongLong(hash) : nullptr;
}

PyObject* module_find_shard(PyObject* /*module*/, PyObject* args) {
  Py_buffer manifest;
  PyObject* object = nullptr;
  if (!PyArg_ParseTuple(args, "y*O:find_shard", &manifest, &object)) return nullptr;
  Key key;
  uint64_t number = 0;
  char name[CRIVO_SHARD_NAME_BYTES];
  crivo_error error;
  const bool found = key.read(object) && succeeded(crivo_find_shard(manifest.buf, static_cast<uint64_t>(manifest.len),
                                                                    key.data(), key.size(), &number, name, &error),
                                                   error);
  PyBuffer_Release(&manifest);
  return found ? Py_BuildValue("(Ks)", static_cast<unsigned long long>(number), name) : nullptr;
}

/// A dict with the CRIVO_CAN_ bits of each kind, by its name.
PyObject* module_kinds(PyObject* /*module*/, PyObject* /*unused*/) {
  Ref kinds(PyDict_New());
  for (size_t i = 0; kinds && crivo_kind_name(i) != nullptr; ++i) {
    const Ref can(PyLong_FromUnsignedLong(crivo_kind_can(i)));
    if (!can || PyDict_SetItemString(kinds.get(), crivo_kind_name(i), can.get()) != 0) return nullptr;
  }
  return kinds.release();
}

PyObject* module_sketch_symbols(PyObject* /*module*/, PyObject* number) {
  uint64_t difference = 0;
  if (!read_integer("difference", number, 0, &difference)) return nullptr;
  return PyLong_FromUnsignedLongLong(crivo_sketch_symbols(difference));
}

PyMethodDef module_functions[] = {
    {"hash_key", module_hash_key, METH_VARARGS, kHashKeyDoc},
    {"find_shard", module_find_shard, METH_VARARGS, kFindShardDoc},
    {"sketch_symbols", module_sketch_symbols, METH_O, kSketchSymbolsDoc},
    {"_kinds", module_kinds, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int fill(PyObject* module) {
  if (!watch_forks()) {
    PyErr_NoMemory();
    return -1;
  }
  const Ref type(PyType_FromModuleAndSpec(module, &filter_spec, nullptr));
  if (!type || PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())) != 0) return -1;
  const Ref sketch(PyType_FromModuleAndSpec(module, &sketch_spec, nullptr));
  if (!sketch || PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(sketch.get())) != 0) return -1;
  if (PyModule_AddStringConstant(module, "version", crivo_version()) != 0) return -1;
  return PyModule_AddStringConstant(module, "isa", crivo_isa());
}

// The module has no state that interpreters would share, so several interpreters with their own GIL can use it. Python
// 3.11 does not know the slot for this; 3.12 and later require it.
constexpr int kSlotMultipleInterpreters = 3;
constexpr uintptr_t kPerInterpreterGil = 2;
PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(fill)},
    {0, nullptr},
    {0, nullptr},
};

PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                 "crivo._crivo",
                                 "The compiled part of crivo.",
                                 0,
                                 module_functions,
                                 module_slots,
                                 nullptr,
                                 nullptr,
                                 nullptr};

}  // namespace
}  // namespace crivo::python

PyMODINIT_FUNC PyInit__crivo() {
  using namespace crivo::python;
  if (Py_Version >= 0x030C0000) {
    // Python expects a number as a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr)
    module_slots[1] = {kSlotMultipleInterpreters, reinterpret_cast<void*>(kPerInterpreterGil)};
  }
  return PyModuleDef_Init(&module_definition);
}
