"""The time of lookups in Python, compared with alternatives in the same process.

usage: bench.py LIBCRIVO_SO [ROUNDS], with a Python that has the package. LIBCRIVO_SO is libcrivo.so.0. The benchmark
also calls this library directly, with the same filter and all keys in a single call.

The compared functions alternate, and the benchmark prints the medians of this thread's CPU time, which other programs
affect less than the elapsed time.
"""

import array
import ctypes
import itertools
import statistics
import sys
import time

import crivo


class Keys(ctypes.Structure):
    """The structure crivo_keys."""

    _fields_ = [("bytes", ctypes.c_void_p), ("bytes_size", ctypes.c_uint64), ("offsets", ctypes.c_void_p),
                ("width", ctypes.c_uint64), ("count", ctypes.c_uint64)]


class Library:
    """The C++ library with its own copy of the filter that Python queries."""

    def __init__(self, path, filter_):
        self.library = ctypes.CDLL(path)
        self.library.crivo_free.argtypes = [ctypes.c_void_p]
        self.handle = ctypes.c_void_p()
        blob = filter_.to_bytes("raw")
        done = self.library.crivo_read(blob, ctypes.c_uint64(len(blob)), None, ctypes.byref(self.handle), None)
        assert done == 0

    def ask_hashes(self, hashes):
        hits = (ctypes.c_uint8 * len(hashes))()
        address, count = hashes.buffer_info()

        def ask():
            assert self.library.crivo_contains_hashes(self.handle, ctypes.c_void_p(address), ctypes.c_uint64(count),
                                                      hits, None) == 0

        return ask

    def add_hashes(self, hashes):
        address, count = hashes.buffer_info()

        def add():
            assert self.library.crivo_add_hashes(self.handle, ctypes.c_void_p(address), ctypes.c_uint64(count),
                                                 None) == 0

        return add

    def build(self, hashes):
        address, count = hashes.buffer_info()

        def build():
            made = ctypes.c_void_p()
            assert self.library.crivo_build_from_hashes(None, ctypes.c_void_p(address), ctypes.c_uint64(count),
                                                        ctypes.byref(made), None) == 0
            self.library.crivo_free(made)

        return build

    def ask_keys(self, keys, width=0):
        joined = b"".join(keys)
        offsets = array.array("Q", itertools.accumulate(map(len, keys), initial=0))
        hits = (ctypes.c_uint8 * len(keys))()
        asked = Keys(ctypes.cast(joined, ctypes.c_void_p), len(joined), None if width else offsets.buffer_info()[0],
                     width, len(keys))

        def ask(_joined=joined, _offsets=offsets):  # the defaults keep these arrays alive
            assert self.library.crivo_contains_keys(self.handle, ctypes.byref(asked), hits, None) == 0

        return ask


def medians(works, rounds):
    """The seconds of each function in each round."""
    times = [[] for _ in works]
    for _ in range(rounds):
        for taken, work in zip(times, works):
            before = time.thread_time()
            work()
            taken.append(time.thread_time() - before)
    return [statistics.median(taken) for taken in times]


def each(keys, container, times):
    def ask():
        for _ in range(times):
            for key in keys:
                key in container

    return ask


def repeat(times, work, *args, **keywords):
    def ask():
        for _ in range(times):
            work(*args, **keywords)

    return ask


def row(what, seconds, base, count, number):
    print(f"| {what} | {number:,} | {seconds / count * 1e9:.1f} | {base / count * 1e9:.1f} | {seconds / base:.2f} |",
          flush=True)


def measure(library, number, rounds):
    keys = [f"user{i}@example.org" for i in range(number)]
    half = [key if i % 2 else f"nobody{i}" for i, key in enumerate(keys)]  # half of the keys are absent
    filter_, set_ = crivo.Filter(keys), set(keys)
    cpp = Library(library, filter_)
    encoded = [key.encode() for key in half]
    hashes = array.array("Q", map(crivo.hash_key, half))
    digests = [(i * 2**70 + 7).to_bytes(16, "little") for i in range(number)]
    rows = memoryview(b"".join(digests)).cast("B", (number, 16))
    times = max(1, 200_000 // number)
    count = times * number

    ours, others = medians([each(half, filter_, times), each(half, set_, times)], rounds)
    row("`in`, beside a `set`", ours, others, count, number)
    for what, work, given, base in [
        ("`Filter`, hashes in an array", crivo.Filter, hashes, cpp.build(hashes)),
        ("`update`, hashes in an array", filter_.copy().update, hashes, cpp.add_hashes(hashes)),
        ("`contains_many`, hashes in an array", filter_.contains_many, hashes, cpp.ask_hashes(hashes)),
        ("`contains_many`, rows of 16 bytes", filter_.contains_many, rows, cpp.ask_keys(digests, 16)),
        ("`contains_many`, a list of `bytes`", filter_.contains_many, encoded, cpp.ask_keys(encoded)),
        ("`contains_many`, a list of `str`", filter_.contains_many, half, cpp.ask_keys(encoded)),
    ]:
        keywords = {"hashed": True} if given is hashes else {}
        ours, others = medians([repeat(times, work, given, **keywords), repeat(times, base)], rounds)
        row(what, ours, others, count, number)


def main(library, rounds="15"):
    print("| from Python | keys | ns per key | compared with | ratio |\n|---|---|---|---|---|")
    for number in (1000, 100_000, 1_000_000):
        measure(library, number, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
