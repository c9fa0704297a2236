"""Filters in the wheel: lookups, changes, merges, copies, blobs, files, errors."""

import array
import copy
import errno
import inspect
import multiprocessing
import os
import pathlib
import pickle
import sys
import tempfile
import unittest
import unittest.mock
import weakref

import crivo

KINDS = ["classic", "blocked", "counting", "spectral", "scalable", "growing", "window", "cuckoo", "hash_compaction", "ribbon", "compressed"]


class Mine(crivo.Filter):
    __slots__ = ("slot", "__dict__")


class Telling(crivo.Filter):
    def __getstate__(self):
        return "what __getstate__ said"

    def __setstate__(self, state):
        self.told = state


def ask_in_another_process(filter_):
    return 5 in filter_, len(filter_), filter_


class FilterTest(unittest.TestCase):
    def test_a_misspelt_instruction_set_is_an_error(self):
        blob = crivo.Filter(["key"]).to_bytes()
        with unittest.mock.patch.dict(os.environ, {"CRIVO_ISA": "altivec"}):
            for make in (lambda: crivo.Filter(["key"]), lambda: crivo.Filter.from_bytes(blob)):
                with self.assertRaisesRegex(crivo.Error, "^CRIVO_ISA must be one of scalar"):
                    make()

    def test_one_key_and_many_have_the_same_answers(self):
        self.assertEqual(sorted(crivo.kinds()), sorted(set(KINDS) - {"compressed"} | {"range", "map", "exact"}))
        keys = [f"user{i}" for i in range(2000)]
        for kind in KINDS:
            filter_ = crivo.Filter(keys[::2], 0.1, kind, seed=9)
            answers = filter_.contains_many(keys)
            self.assertEqual([key in filter_ for key in keys], answers, kind)
            self.assertTrue(all(answers[::2]), kind)
            self.assertLess(sum(answers), 1400, kind)
            self.assertEqual(len(filter_), 1000, kind)

    def test_options(self):
        self.assertEqual(crivo.Filter(capacity=1000).facts.fp_rate, 0.01)
        facts = crivo.Filter(["a"], fp_rate=1e-4, kind="classic", capacity=1000, seed=7).facts
        self.assertEqual((facts.kind, facts.capacity, facts.keys, facts.fp_rate, facts.seed, facts.read_only),
                         ("classic", 1000, 1, 1e-4, 7, False))
        self.assertEqual(crivo.Filter(capacity=1000, bits_per_key=16, kind="classic").facts.units, 16000)
        self.assertEqual(crivo.Filter(capacity=9, kind="spectral:4").facts.kind, "spectral")
        self.assertEqual(crivo.Filter(["a"], fp_rate=None, capacity=None, bits_per_key=None, threads=crivo.ALL_THREADS, max_bytes=None,
                                      seed=None, progress=None, kind=None, max_memory=None, temp_folder=None),
                         crivo.Filter(["a"]))

    def test_every_default_may_be_passed(self):
        shown = inspect.signature(crivo._crivo.Filter).parameters
        given = {**{name: shown[name].default for name in shown}, "keys": ["a"]}
        self.assertEqual(crivo.Filter(**given), crivo.Filter(["a"]))
        self.assertEqual(crivo.Filter(**{**given, "bits_per_key": 9}), crivo.Filter(["a"], bits_per_key=9))

    def test_little_memory_makes_the_same_filter(self):
        keys = array.array("q", range(2_500_000))  # the hashes exceed half of 16 MiB
        with tempfile.TemporaryDirectory() as folder:
            expected = crivo.Filter(keys, kind="ribbon")
            for temp_folder in [None, os.fsencode(folder), pathlib.Path(folder)]:
                little = crivo.Filter(keys, kind="ribbon", max_memory=2**24, temp_folder=temp_folder)
                self.assertEqual(little, expected)
            missing = os.path.join(folder, "missing")
            with self.assertRaisesRegex(FileNotFoundError, "temp_folder must be writable, got") as raised:
                crivo.Filter(keys, kind="ribbon", max_memory=2**24, temp_folder=missing)
            self.assertEqual((raised.exception.errno, raised.exception.filename), (errno.ENOENT, missing))

    def test_wrong_options_are_named(self):
        for arguments, message in [
            (dict(), "capacity must be set if there are no keys, got neither"),
            (dict(capacity=0), "capacity must be an int from 1 to 2^40, got 0"),
            (dict(capacity=-1), "capacity must be an int from 1 to 2^40, got -1"),
            (dict(capacity=2**64), "capacity must be an int from 1 to 2^40, got 18446744073709551616"),
            (dict(capacity=2**41), "capacity must"), (dict(capacity=9, fp_rate=0), "fp_rate must be in (0, 1), got 0"),
            (dict(capacity=9, fp_rate=1.5), "fp_rate must be in (0, 1), got 1.5"),
            (dict(capacity=9, fp_rate=float("nan")), "fp_rate must be in (0, 1), got nan"),
            (dict(capacity=9, bits_per_key=0), "bits_per_key must be above 0 and at most 1000, got 0"),
            (dict(capacity=9, bits_per_key=-1), "bits_per_key must"),
            (dict(capacity=9, bits_per_key=9, fp_rate=0.1),
             "fp_rate must be None if bits_per_key is set, got 0.1"),
            (dict(capacity=9, bits_per_key=9, fp_rate=0), "fp_rate must be in (0, 1), got 0"),
            (dict(keys=["a"], max_memory=2**20), "max_memory must be an int from 16777216 to 2^64 - 1, got 1048576"),
            (dict(keys=["a"], kind="\ud800"), "kind must be one of crivo.kinds()"),
            (dict(keys=["a"], kind="ribbon\0"), "kind must be one of crivo.kinds()"),
            (dict(capacity=9, kind="bloom"), "kind must"), (dict(capacity=9, kind="ribbon"), "kind must"),
            (dict(capacity=9, seed=-1), "seed must"), (dict(capacity=9, max_bytes=0), "max_bytes must"),
            (dict(capacity=2**20, max_bytes=100), "capacity must fit in 100 bytes"), (dict(keys=["a"], threads=-1), "threads must"),
        ]:
            with self.assertRaises(crivo.Error) as raised:
                crivo.Filter(**arguments)
            self.assertIn(message, str(raised.exception), arguments)
        for arguments, message in [
            (dict(capacity="9"), "capacity must be an int, got str"),
            (dict(capacity=1e6), "capacity must be an int, got float"),
            (dict(capacity=9, fp_rate="0.1"), "fp_rate must be a number, got str"),
            (dict(capacity=9, kind=7), "kind must be a str, got int"),
            (dict(keys=["a"], kind=b"ribbon"), "kind must be a str, got bytes"),
            (dict(keys=["a"], max_memory=1e9), "max_memory must be an int, got float"),
            (dict(keys=["a"], temp_folder=7), "PathLike"),
            (dict(keys=["a"], progress=7), "progress must be callable"),
            (dict(wrong=7), "wrong"),
            (dict(fpr=0.1), "fpr must be spelled fp_rate"),
        ]:
            self.assertRaisesRegex(TypeError, message, crivo.Filter, **arguments)

    def test_windows(self):
        day = 86400
        seen = crivo.Filter(capacity=100, fp_rate=1e-9, kind="window:7 days/7")
        self.assertEqual(seen.facts.can, ("add", "advance"))
        seen.add("early")
        seen.advance(19783 * day + 0.25)
        seen.add("late")
        seen.advance(19790 * day)
        self.assertTrue("early" in seen and "late" in seen)
        seen.advance(0)
        seen.add("later")
        seen.advance(19791 * day)
        self.assertEqual(seen.contains_many(["early", "late", "later"]), [False, False, True])
        for wrong in [-1, float("nan"), float("inf"), 1e12, -5e-4]:
            with self.assertRaisesRegex(crivo.Error, "time must be seconds since 1970"):
                seen.advance(wrong)
        with self.assertRaises(TypeError):
            seen.advance("now")
        with self.assertRaisesRegex(crivo.Error, r"kind must support advance \(window\), got blocked"):
            crivo.Filter(["a"]).advance(1)

    def test_max_bytes_bounds_a_filter_that_grows(self):
        limited = crivo.Filter(capacity=1000, kind="scalable", max_bytes=4000)
        with self.assertRaises(crivo.Error) as raised:
            limited.update(range(20_000))
        self.assertEqual(raised.exception.code, "too large")
        self.assertTrue(all(limited.contains_many(range(len(limited)))))
        self.assertGreaterEqual(len(limited), 1000)

    def test_more_keys_than_len_can_be(self):
        filter_ = crivo.Filter(kind="growing")
        self.assertFalse(filter_)
        filter_.add_times("a", 2**63)
        self.assertTrue(filter_)
        self.assertEqual(filter_.facts.keys, 2**63)
        with self.assertRaisesRegex(OverflowError, "more keys than len"):
            len(filter_)

    def test_removing_and_counting(self):
        for kind in ["counting", "cuckoo"]:
            filter_ = crivo.Filter(["ann", "bob", "ann"], kind=kind)
            self.assertEqual([filter_.count(key) for key in ["ann", "bob", "eve"]], [2, 1, 0])
            filter_.remove("ann")
            filter_.add_times("bob", 2)
            self.assertEqual([filter_.count(key) for key in ["ann", "bob", "eve"]], [1, 3, 0])
            with self.assertRaises(crivo.Error) as raised:
                filter_.remove("eve")
            self.assertEqual(raised.exception.code, "not found")
        dropped = crivo.Filter(["ann"], kind="counting").drop_counts()
        self.assertEqual((dropped.facts.kind, "ann" in dropped, type(dropped)), ("blocked", True, crivo.Filter))
        for wrong in [-1, 2**64]:
            self.assertRaises(crivo.Error, filter_.add_times, "ann", wrong)
        for refused in [lambda: crivo.Filter(["a"]).remove("a"), lambda: crivo.Filter(["a"]).count("a"),
                        lambda: crivo.Filter(["a"]).drop_counts(), lambda: crivo.Filter(["a"], kind="ribbon").add("b"),
                        lambda: crivo.Filter(["a"], kind="ribbon").clear()]:
            with self.assertRaises(crivo.Error) as raised:
                refused()
            self.assertEqual(raised.exception.code, "unsupported")

    def test_merging(self):
        a, b = crivo.Filter(range(100), capacity=500, fp_rate=1e-6), crivo.Filter(range(50, 150), capacity=500,
                                                                                  fp_rate=1e-6)
        self.assertEqual([key in a | b for key in [0, 75, 149, 200]], [True, True, True, False])
        self.assertEqual([key in a & b for key in [0, 75, 149, 200]], [False, True, False, False])
        self.assertEqual((len(a), len(b)), (100, 100))
        united, common = a.copy(), a.copy()
        united |= b
        common &= b
        self.assertEqual((united, common), (a | b, a & b))
        a |= a
        self.assertEqual(a.contains_many(range(100)), [True] * 100)
        self.assertAlmostEqual(a.jaccard(b), 1 / 3, delta=0.03)
        similarity = a.compare(b)
        self.assertAlmostEqual(similarity.united, 150, delta=5)
        self.assertEqual(a.jaccard(a), 1)
        for other in [crivo.Filter(capacity=50), crivo.Filter(capacity=500, seed=1, fp_rate=1e-6)]:
            for merge in [lambda: a | other, lambda: a & other, lambda: a.compare(other), lambda: a.__ior__(other)]:
                with self.assertRaises(crivo.Error) as raised:
                    merge()
                self.assertEqual(raised.exception.code, "incompatible")
        for wrong in [{1}, None, "a"]:
            for merge in [lambda: a | wrong, lambda: wrong | a, lambda: a & wrong, lambda: a.compare(wrong)]:
                self.assertRaises(TypeError, merge)
            self.assertNotEqual(a, wrong)

    def test_private_methods_check_what_they_are_given(self):
        filter_ = crivo.Filter(capacity=9)
        for method in [filter_._unite, filter_._intersect, filter_._compare]:
            for args in [(), (None,), (filter_, filter_), ("a",)]:
                self.assertRaises(TypeError, method, *args)
            self.assertRaises(TypeError, method, other=filter_)
        self.assertRaises(crivo.Error, filter_._blob, 99, 0)
        self.assertRaises(crivo.Error, filter_._blob, 1, 99)
        self.assertRaises(TypeError, object.__new__, crivo.Filter)
        self.assertRaises(TypeError, type(filter_)._unite, 7, filter_)

    def test_clear(self):
        filter_ = crivo.Filter(range(1000), kind="classic")
        filter_.clear()
        self.assertEqual((len(filter_), any(filter_.contains_many(range(1000)))), (0, False))
        self.assertFalse(filter_)

    def test_it_is_no_hashable_value(self):
        self.assertRaises(TypeError, hash, crivo.Filter(["a"]))

    def test_subclasses_stay_what_they_are(self):
        mine = Mine(["a"])
        for made in [mine | mine, mine & mine, mine.copy(), Mine.from_bytes(mine.to_bytes())]:
            self.assertIs(type(made), Mine)
        self.assertIn("Mine", repr(mine))

    def test_subclasses_keep_their_attributes(self):
        mine = Mine(["a"])
        mine.note, mine.slot, mine.itself = [7], "slot", mine
        pickles = [pickle.loads(pickle.dumps(mine, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for made in [copy.copy(mine), mine.copy(), copy.deepcopy(mine), *pickles]:
            self.assertEqual((made, made.note, made.slot), (mine, [7], "slot"))
        self.assertIs(mine.copy().note, mine.note)
        for made in [copy.deepcopy(mine), *pickles]:
            self.assertIsNot(made.note, mine.note)
            self.assertIs(made.itself, made)
        told = Telling(["a"])
        for made in [copy.copy(told), copy.deepcopy(told), pickle.loads(pickle.dumps(told))]:
            self.assertEqual(made.told, "what __getstate__ said")

    def test_weak_references(self):
        filter_ = crivo.Filter(["a"])
        weak = weakref.ref(filter_)
        self.assertIs(weak(), filter_)
        del filter_
        self.assertIsNone(weak())


class CopiesTest(unittest.TestCase):
    def test_copies_and_pickles_are_equal_and_apart(self):
        for kind in KINDS:
            filter_ = crivo.Filter(range(1000), kind=kind, seed=3)
            pickles = [pickle.loads(pickle.dumps(filter_, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
            for other in [copy.copy(filter_), copy.deepcopy(filter_), filter_.copy(), *pickles]:
                self.assertEqual(other, filter_)
                self.assertIs(type(other), crivo.Filter)
                if "add" in filter_.facts.can:
                    other.add("more")
                    self.assertNotEqual(other, filter_)
                    self.assertEqual(len(filter_), 1000)

    def test_filters_go_to_other_processes_and_back(self):
        filter_ = crivo.Filter(range(10))
        for method in ["spawn", "fork"]:
            with multiprocessing.get_context(method).Pool(1) as pool:
                self.assertEqual(pool.apply(ask_in_another_process, (filter_,)), (True, 10, filter_))

    def test_errors_go_to_other_processes(self):
        error = pickle.loads(pickle.dumps(crivo.Error("why", "full")))
        self.assertEqual((str(error), error.code, type(error)), ("why", "full", crivo.Error))


class BlobsTest(unittest.TestCase):
    def test_blobs_of_every_form(self):
        filter_ = crivo.Filter(range(1000), capacity=5000)
        for form in ["auto", "raw", "smallest", "mappable"]:
            blob = filter_.to_bytes(form)
            self.assertIs(type(blob), bytes)
            for given in [blob, bytearray(blob), memoryview(blob), array.array("B", blob)]:
                self.assertEqual(crivo.Filter.from_bytes(given), filter_)
        self.assertLess(len(crivo.Filter(["a"], capacity=10**6).to_bytes("smallest", level=19)), 1000)
        self.assertRaisesRegex(crivo.Error, "form must be one of auto, raw, smallest, mappable, got 'tiny'", filter_.to_bytes,
                               "tiny")

    def test_what_is_no_blob_is_an_error(self):
        blob = crivo.Filter(["a", "b"]).to_bytes("raw")
        for damaged in [b"", blob[:-1], blob + b"x", blob[:-1] + bytes([blob[-1] ^ 1])]:
            with self.assertRaises(crivo.Error) as raised:
                crivo.Filter.from_bytes(damaged)
            self.assertEqual(raised.exception.code, "corrupt")
        for wrong in ["text", None, 7]:
            self.assertRaises(TypeError, crivo.Filter.from_bytes, wrong)

    def test_a_small_blob_of_a_large_filter_needs_leave(self):
        blob = crivo.Filter(["a"], capacity=10**6).to_bytes("smallest")
        with self.assertRaises(crivo.Error) as raised:
            crivo.Filter.from_bytes(blob, max_bytes=1000)
        self.assertEqual(raised.exception.code, "too large")
        self.assertIn("a", crivo.Filter.from_bytes(blob, max_bytes=10**7))


class TellingTest(unittest.TestCase):
    def test_what_it_tells(self):
        filter_ = crivo.Filter(range(10_000), kind="classic")
        self.assertEqual(repr(filter_), "<crivo.Filter kind='classic' capacity=10000 fp_rate=0.01 keys=10000>")
        stats = filter_.stats()
        self.assertAlmostEqual(stats.cardinality, 10_000, delta=150)
        self.assertAlmostEqual(stats.current_fp_rate, 0.01, delta=0.001)
        self.assertLess(stats.bits_set, stats.bits)
        self.assertGreater(sys.getsizeof(filter_), filter_.facts.payload_bytes)
        self.assertRegex(crivo.__version__, r"^\d+\.\d+\.\d+$")
        for public in crivo.__all__:
            self.assertTrue(getattr(crivo, public).__doc__, public)

    def test_numpy_is_not_needed(self):
        self.assertNotIn("numpy", sys.modules)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
