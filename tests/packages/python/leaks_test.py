"""Repeated use leaks no object, and large filters are freed."""

import array
import gc
import sys
import tracemalloc
import unittest

import crivo


class LeakTest(unittest.TestCase):
    def use_everything(self):
        filter_ = crivo.Filter(["a", b"b", 3, 4.5, 10**30, "naïve"], capacity=2000, kind="counting")
        filter_.update(array.array("q", range(100)))
        filter_.contains_many(array.array("Q", range(100)), hashed=True)
        filter_.contains_many(f"{i}" for i in range(100))
        for key in ["a", b"b", 3, 4.5, 10**30, bytearray(b"x"), memoryview(b"y")]:
            filter_.add(key)
            filter_.count(key)
            filter_.remove(key)
        other = filter_ | crivo.Filter.from_bytes(filter_.to_bytes())
        other.stats(), other.facts, repr(other), other == filter_, other.compare(filter_), other.drop_counts()
        for keys, items in ("hashes", ["a", 1]), ("integers", [1, 2]), ("bytes:2", [b"ab", "cd"]):
            sketch = crivo.Sketch(items, keys=keys, symbols=30)
            sketch.difference(crivo.Sketch.from_bytes(sketch.to_bytes())), sketch.facts, repr(sketch)
            sketch.difference(crivo.Sketch(keys=keys, symbols=30)), crivo.Sketch(range(9), symbols=2).difference(crivo.Sketch(symbols=2))
            with self.assertRaises(crivo.Error):
                sketch.append(sketch)
        for wrong in [lambda: crivo.Sketch(["x"], keys="integers", symbols=3), lambda: filter_.update(["a", None]), lambda: filter_ & other, lambda: crivo.Filter(capacity=0),
                      lambda: crivo.Filter.from_bytes(b"junk"), lambda: filter_.update("abc"),
                      lambda: crivo.Filter(range(9), kind="ribbon", progress=lambda done: 1 / 0),
                      lambda: crivo.Filter(["\ud800"]), lambda: filter_.contains_many([1, None])]:
            with self.assertRaises((crivo.Error, TypeError, ZeroDivisionError, UnicodeError)):
                wrong()

    def test_nothing_is_leaked(self):
        for _ in range(100):  # fills Python's own caches
            self.use_everything()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        for _ in range(100):
            self.use_everything()
        gc.collect()
        before, blocks, pages = tracemalloc.get_traced_memory()[0], sys.getallocatedblocks(), self.resident()
        rounds = 1000  # the interpreter itself may allocate about 20 KB
        for _ in range(rounds):
            self.use_everything()
        gc.collect()
        self.assertLess(sys.getallocatedblocks() - blocks, rounds)
        self.assertLess(tracemalloc.get_traced_memory()[0] - before, 40 * rounds)
        self.assertLess(self.resident() - pages, rounds)  # pages of 4 KiB; each round has about 20 filters

    def test_large_filters_are_freed(self):
        before = self.resident()
        for _ in range(30):
            filter_ = crivo.Filter([1], capacity=10**6)  # 1.2 MB
            filter_.copy(), filter_.to_bytes("raw")
        self.assertLess(self.resident() - before, 3000)

    def resident(self):
        """The resident pages of this process."""
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
