"""Threads, signals, hostile objects, leaks: nothing may crash, hang or lose a key."""

import array
import concurrent.futures
import contextlib
import gc
import itertools
import mmap
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
import unittest
import unittest.mock

import crivo

HASHES = array.array("Q", range(0, 2**64 - 2**44, 2**44))  # 2^20 hashes, spread over all blocks


def run(*works):
    """Runs each function in its own thread, and raises an exception that one raises."""
    with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(work) for work in works]:
            done.result()


def python(script):
    """Runs a script in a separate interpreter, which must succeed and write no error."""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", textwrap.dedent(script)], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stderr) == (0, ""), done


class ThreadsTest(unittest.TestCase):
    def test_threads_change_and_ask_one_filter(self):
        """Every key is found right after it was added, while other threads add keys."""
        for kind in ["blocked", "counting", "scalable"]:
            filter_ = crivo.Filter(capacity=200_000, kind=kind)
            piece = HASHES[:20_000]

            def add(first):
                for key in range(first, first + 2000):
                    filter_.add(key)
                    assert key in filter_
                filter_.update(range(first, first + 4000))
                assert all(filter_.contains_many(range(first, first + 4000)))

            def add_array():
                for _ in range(5):
                    filter_.update(piece, hashed=True)
                    assert all(filter_.contains_many(piece, hashed=True))

            def tell():
                for _ in range(20):
                    crivo.Filter.from_bytes(filter_.to_bytes("raw"))
                    filter_.stats()
                    filter_.copy()

            run(lambda: add(0), lambda: add(10_000), add_array, add_array, tell)
            self.assertEqual(len(filter_), 2 * 6000 + 2 * 5 * 20_000)

    def test_long_questions_let_others_run_and_changes_wait(self):
        filter_ = crivo.Filter(capacity=len(HASHES))
        filter_.update(HASHES, hashed=True)
        stop = False

        def ask():
            while not stop:
                filter_.contains_many(HASHES, hashed=True)

        def change():
            nonlocal stop
            for key in range(50):
                filter_.add(key)
            stop = True

        run(ask, ask, change)  # with two threads that always query, a change must still get its turn
        self.assertTrue(all(filter_.contains_many(range(50))))

    def test_no_addition_is_lost(self):
        """Two threads that add arrays at the same time lose no key, and neither does one that adds single keys
        meanwhile."""
        filter_ = crivo.Filter(capacity=10**6, kind="counting")
        piece = HASHES[:2**17]
        run(lambda: [filter_.update(piece, hashed=True) for _ in range(20)],
            lambda: [filter_.update(piece, hashed=True) for _ in range(20)],
            lambda: [filter_.add(key) for key in range(100_000)])
        self.assertEqual(len(filter_), 40 * len(piece) + 100_000)
        self.assertTrue(all(filter_.contains_many(range(100_000))))

    def test_single_keys_come_while_an_array_makes_the_filter_grow(self):
        piece = HASHES[:2**15]
        for _ in range(30):
            filter_ = crivo.Filter(capacity=1, kind="scalable")
            run(lambda: filter_.update(piece, hashed=True), lambda: [filter_.add(key) for key in range(5000)],
                lambda: [key in filter_ for _ in range(5) for key in range(5000)])
            self.assertEqual(len(filter_), len(piece) + 5000)
            self.assertTrue(all(filter_.contains_many(piece, hashed=True)))
            self.assertTrue(all(filter_.contains_many(range(5000))))

    def test_filters_that_are_merged_into_each_other(self):
        a, b = crivo.Filter([1], capacity=10**6), crivo.Filter([2], capacity=10**6)

        def merge(into, other):
            for _ in range(30):
                into |= other
                into &= other
                into.compare(other)

        run(lambda: merge(a, b), lambda: merge(b, a), lambda: merge(a, a))
        self.assertEqual((1 in a, 2 in a), (1 in b, 2 in b))

    def test_a_filter_that_grows_while_it_is_written(self):
        filter_ = crivo.Filter(capacity=10, kind="scalable")

        def write():
            for _ in range(50):
                crivo.Filter.from_bytes(filter_.to_bytes("raw"))

        run(write, lambda: [filter_.update(range(i, i + 500)) for i in range(0, 20_000, 500)], write)

    def test_threads_that_outlive_the_interpreter(self):
        python("""
            import array, threading, time, crivo
            filter_ = crivo.Filter(range(100), capacity=10**6)
            hashes = array.array("Q", range(10**6))
            def work():
                while True:
                    filter_.contains_many(hashes, hashed=True)
                    filter_.update(hashes, hashed=True)
                    crivo.Filter(hashes, hashed=True, kind="ribbon")
                    filter_ | filter_
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
        """)

    def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have(self):
        python("""
            import array, crivo, os, signal, threading, time, warnings
            warnings.simplefilter("ignore")  # newer versions of Python warn of such forks
            filter_ = crivo.Filter(range(10**5))
            hashes = array.array("Q", range(10**6))
            def work():
                while True:
                    filter_.contains_many(hashes, hashed=True)
            threading.Thread(target=work, daemon=True).start()
            time.sleep(0.1)
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    filter_.add("added")
                    filter_.update(hashes[:10], hashed=True)
                    assert "added" in filter_ and all(filter_.contains_many(hashes[:10], hashed=True))
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
        """)

    def test_daemons_with_progress_do_not_disturb_the_end(self):
        python("""
            import array, crivo, threading, time
            hashes = array.array("Q", range(10**6))
            def work():
                while True:
                    crivo.Filter(hashes, hashed=True, kind="ribbon", progress=lambda done: time.sleep(0.001))
            for _ in range(8):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.5)
        """)


class SignalsTest(unittest.TestCase):
    def interrupted(self, work):
        """The seconds of CPU time for which the work continues after Ctrl-C."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background script
        sent = []

        def interrupt():
            time.sleep(0.2)
            sent.append(time.process_time())  # CPU time, which other programs do not affect
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                work()
        thread.join()
        return time.process_time() - sent[0]

    def test_ctrl_c_ends_long_work(self):
        hashes = HASHES * 8
        filter_ = crivo.Filter(capacity=len(hashes))
        endless = itertools.repeat("alpha")  # never releases the GIL
        for work in [lambda: crivo.Filter(hashes, hashed=True, kind="ribbon"), lambda: crivo.Filter(endless),
                     lambda: filter_.update(hashes, hashed=True), lambda: filter_.contains_many(hashes, hashed=True),
                     lambda: filter_.update(endless), lambda: filter_.contains_many(endless)]:
            self.assertLess(self.interrupted(work), 5)

    def test_ctrl_c_ends_a_build_before_it_is_done(self):
        hashes = array.array("Q", os.urandom(2**25))
        before = time.thread_time()
        crivo.Filter(hashes, hashed=True, kind="ribbon")
        whole = time.thread_time() - before
        self.addCleanup(signal.signal, signal.SIGPROF, signal.signal(signal.SIGPROF, signal.default_int_handler))
        before = time.thread_time()
        signal.setitimer(signal.ITIMER_PROF, 0.6 * whole)  # in CPU time: the hashes are read by then
        self.assertRaises(KeyboardInterrupt, crivo.Filter, hashes, hashed=True, kind="ribbon")
        self.assertLess(time.thread_time() - before, 0.9 * whole)

    def test_ctrl_c_is_not_lost_while_a_build_asks_for_the_main_thread(self):
        with unittest.mock.patch("threading.main_thread", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, crivo.Filter, ["ada"])

    def test_progress(self):
        for kind in ["ribbon", "blocked"]:
            done = []
            crivo.Filter(HASHES[:300_000], hashed=True, kind=kind, progress=done.append)
            self.assertEqual((done, done[-1]), (sorted(done), 1))

        def fail(done):
            raise KeyError(done)

        self.assertRaises(KeyError, crivo.Filter, HASHES, hashed=True, kind="ribbon", progress=fail)

    def test_other_threads_run_during_a_build(self):
        counted = 0
        with concurrent.futures.ThreadPoolExecutor() as pool:
            build = pool.submit(crivo.Filter, HASHES, hashed=True, kind="ribbon")
            while not build.done():
                counted += 1
                time.sleep(0.001)
        self.assertGreater(counted, 5)


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

        def ask():
            for _ in range(5):
                filter_.contains_many(hashes, hashed=True)
            stop.set()

        run(resize, ask)


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


class InterpretersTest(unittest.TestCase):
    def test_interpreters_with_a_gil_of_their_own(self):
        if sys.version_info < (3, 13):
            self.skipTest("needs Python 3.13, whose interpreters have a GIL each")
        python("""
            import _interpreters as interpreters, threading
            code = '''
            import crivo
            filter_ = crivo.Filter(range(10_000), kind="scalable", capacity=10)
            assert all(filter_.contains_many(range(10_000)))
            try:
                crivo.Filter(capacity=0)
            except crivo.Error as error:
                assert error.code == "bad argument"
            '''
            import textwrap
            failed = []
            def work():
                for _ in range(3):
                    id = interpreters.create()
                    failed.append(interpreters.exec(id, textwrap.dedent(code)))
                    interpreters.destroy(id)
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            exec(textwrap.dedent(code))
            assert failed == [None] * 9, failed
        """)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
