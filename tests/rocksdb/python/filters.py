#!/usr/bin/python3
"""A database with Crivo's filters, through RocksDB's C interface. Run it in the project's folder after ./dev build."""
import ctypes
import json

crivo = ctypes.CDLL("build/release/libcrivo_rocksdb.so")  # registers the policies with RocksDB
rocksdb = ctypes.CDLL("librocksdb.so")


def create(thing):
    function = getattr(rocksdb, f"rocksdb_{thing}_create")
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function())


options, write, flush, error = create("options"), create("writeoptions"), create("flushoptions"), ctypes.c_char_p()
text = b"create_if_missing=true;block_based_table_factory={filter_policy=crivo.Auto:10}"
rocksdb.rocksdb_get_options_from_string(create("options"), text, options, ctypes.byref(error))
rocksdb.rocksdb_open.restype = ctypes.c_void_p
db = ctypes.c_void_p(rocksdb.rocksdb_open(options, b"python.db", ctypes.byref(error)))
assert not error.value, error.value  # an invalid option would be reported here
rocksdb.rocksdb_put(db, write, b"key", ctypes.c_size_t(3), b"value", ctypes.c_size_t(5), ctypes.byref(error))
rocksdb.rocksdb_flush(db, flush, ctypes.byref(error))
crivo.crivo_rocksdb_counters.restype = ctypes.c_void_p
counters = ctypes.c_void_p(crivo.crivo_rocksdb_counters(b"json"))  # or b"prometheus"
print(json.loads(ctypes.string_at(counters))[0]["blocked"]["built"], "filter built")
rocksdb.rocksdb_free(counters)
rocksdb.rocksdb_close(db)
