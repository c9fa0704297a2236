"""Keys, iterators and buffers that change what is being read: nothing may crash or hang."""

import array
import concurrent.futures
import contextlib
import gc
import mmap
import os
import signal
import sys
import threading
import unittest

import crivo

HASHES = array.array("Q", range(0, 2**64 - 2**44, 2**44))  # 2^20 hashes, spread over all blocks


class HostileTest(unittest.TestCase):
    def test_keys_that_change_the_filter_while_they_are_read(self):
        filter_ = crivo.Filter(capacity=10, kind="scalable")
        keys = []

        class Hostile:
            def __init__(self, work):
                self.work = work

            def __index__(self):
                self.work()
                return 7

        keys += [Hostile(filter_.clear), Hostile(lambda: filter_.update(range(5000))), Hostile(keys.clear),
                 Hostile(gc.collect), Hostile(lambda: filter_.to_bytes()), Hostile(lambda: keys.append(8))]
        for use in [filter_.update, filter_.contains_many, crivo.Filter]:
            use(list(keys))
            use(key for key in keys)
            use(tuple(keys))
        filter_.update(keys)  # this empties the list in the middle
        self.assertIn(7, filter_)

    def test_iterators_that_use_the_filter(self):
        filter_ = crivo.Filter(capacity=10_000)

        def keys():
            for i in range(5000):
                yield i
                if i % 100 == 0:
                    filter_.update(str(j) for j in range(100))
                    filter_.copy()
                    filter_.contains_many(range(50))
                if i == 4000:
                    filter_.clear()

        filter_.update(keys())
        self.assertTrue(all(filter_.contains_many(range(4001, 5000))))

    def test_objects_that_raise(self):
        class Raising:
            def __index__(self):
                raise LookupError("index")

            def __iter__(self):
                raise LookupError("iter")

            __len__ = __index__

        filter_ = crivo.Filter(capacity=10)
        for call in [filter_.add, filter_.__contains__, filter_.update, filter_.contains_many, crivo.Filter,
                     lambda key: filter_.update(["a", key]), lambda key: crivo.Filter(capacity=key),
                     lambda key: crivo.Filter(["a"], seed=key), lambda key: filter_.add_times("a", key),
                     lambda key: filter_.contains_many([key], hashed=True), lambda key: crivo.hash_key("a", key)]:
            self.assertRaises(LookupError, call, Raising())

    def test_progress_that_uses_what_is_built(self):
        other = crivo.Filter(capacity=1000)

        def report(done):
            other.add(done)
            crivo.Filter(range(2000), kind="ribbon", progress=None)
            gc.collect()

        crivo.Filter(HASHES[:100_000], hashed=True, kind="ribbon", progress=report)
        self.assertIn(1, other)

    def test_bytes_that_change_while_they_are_read(self):
        """A value must not change between its check and its use: another process changes bytes that locate other bytes."""
        keys = array.array("q", range(10**6))
        for kind, capacity in [("scalable", 1000), ("range", None)]:
            sound = crivo.Filter(keys, kind=kind, capacity=capacity).to_bytes("raw")
            blob = mmap.mmap(-1, len(sound))
            blob[:] = sound
            reader = os.getpid()
            writer = os.fork()
            while writer == 0:
                for at in range(64, 96):
                    for _ in range(20):
                        blob[at] ^= 0xFF
                        blob[at] = sound[at]
                if os.getppid() != reader:  # the reader has crashed
                    os._exit(0)
            try:
                for _ in range(200):
                    with contextlib.suppress(crivo.Error):
                        crivo.Filter.from_bytes(blob).contains_many(keys[:1000])
            finally:
                os.kill(writer, signal.SIGKILL)
                os.waitpid(writer, 0)

    def test_an_array_cannot_be_resized_while_it_is_asked(self):
        hashes = HASHES[:]
        filter_ = crivo.Filter(capacity=10)
        stop = threading.Event()

        def resize():
            while not stop.is_set():
                try:
                    hashes.append(1)
                    hashes.pop()
                except BufferError:
                    pass

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            resizing = pool.submit(resize)
            for _ in range(5):
                filter_.contains_many(hashes, hashed=True)
            stop.set()
            resizing.result()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
