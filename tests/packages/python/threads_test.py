"""Threads and interpreters: nothing may crash, hang or lose a key."""

import array
import concurrent.futures
import subprocess
import sys
import textwrap
import unittest

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
