"""Ctrl-C and progress functions end or follow long work, and other threads run meanwhile."""

import array
import concurrent.futures
import itertools
import os
import signal
import sys
import threading
import time
import unittest
import unittest.mock

import crivo

HASHES = array.array("Q", range(0, 2**64 - 2**44, 2**44))  # 2^20 hashes, spread over all blocks


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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
