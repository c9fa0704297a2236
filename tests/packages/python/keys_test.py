"""Which objects, iterables and arrays are keys, and which keys they are."""

import array
import ctypes
import enum
import sys
import unittest

import crivo

RATE = 1e-9
NAN = float("nan")


class Colour(enum.IntEnum):
    RED = 7

    def __str__(self):
        return "red"


class Number:
    def __index__(self):
        return 7


class Text(str):
    def __str__(self):
        return "another"


class KeysTest(unittest.TestCase):
    def test_the_same_value_is_the_same_key(self):
        for same in [
            ["alpha", b"alpha", bytearray(b"alpha"), memoryview(b"alpha"), Text("alpha"), memoryview(b"a.l.p.h.a")[::2]],
            [7, 7.0, "7", b"7", Colour.RED, Number()],
            [0, -0.0, 0.0, False, "0"], [1, True, "1"],
            [-(2**63), "-9223372036854775808"], [2**64 - 1, "18446744073709551615"],
            [10**400, "1" + "0" * 400], [-(10**30), "-1" + "0" * 30],
            [10**19, 1e19, "10000000000000000000"], [2.0**63, 2**63], [2.0**64 - 2048, 2**64 - 2048],
            [2.0**64, 2**64], [-(2.0**63), -(2**63)], [-1e19, "-1e+19"], [1e-7, "1e-07"], [5e-324, "5e-324"],
            [NAN, -NAN, "nan"], [10**5000, "1" + "0" * 5000], [-(10**20_000) + 1, "-" + "9" * 20_000],
            [ctypes.c_float(0.5), 0.5], [ctypes.c_bool(True), 1],
            [0.1, "0.1"], [1e20, "1e+20"], [float("inf"), "inf"], [2.0**53, 2**53],
            ["naïve", "naïve".encode()], ["", b""], ["a\0b", b"a\0b"], ["🌍", "🌍".encode()],
        ]:
            for stored in same:
                if isinstance(stored, memoryview) and not stored.contiguous:
                    continue
                filter_ = crivo.Filter([stored], fp_rate=RATE)
                for asked in same:
                    if isinstance(asked, memoryview) and not asked.contiguous:
                        continue
                    self.assertIn(asked, filter_, (stored, asked))
                self.assertNotIn("absent", filter_)

    def test_other_types_are_named_with_their_index(self):
        filter_ = crivo.Filter(capacity=10)
        for wrong in [None, (), [], {}, object(), 1j]:
            name = type(wrong).__name__
            text = f"^key must be str, bytes, int or float, got {name}$"
            for ask in [filter_.__contains__, filter_.add, filter_.count, filter_.remove, crivo.hash_key]:
                self.assertRaisesRegex(TypeError, text, ask, wrong)
            for many in [filter_.contains_many, filter_.update, crivo.Filter]:
                self.assertRaisesRegex(TypeError, rf"^keys\[2\] must be str, bytes, int or float, got {name}$", many,
                                       ["a", "b", wrong, "c"])
        self.assertEqual(len(filter_), 4 * 6 // 2)  # update added the two keys before each invalid one

    def test_one_key_is_not_many(self):
        filter_ = crivo.Filter(capacity=10)
        for one in ["alpha", b"alpha", bytearray(b"alpha")]:
            for many in [filter_.contains_many, filter_.update, crivo.Filter]:
                self.assertRaisesRegex(TypeError, f"got {type(one).__name__}, which is one key$", many, one)
        for many in [filter_.contains_many, filter_.update, crivo.Filter]:
            self.assertRaisesRegex(TypeError, "^keys must be an iterable of keys, got int$", many, 7)

    def test_text_that_is_no_unicode_is_refused(self):
        filter_ = crivo.Filter(capacity=9)
        text = r"must be text that UTF-8 can encode, got the lone surrogate '\\udcff' at index 2$"
        for ask in [filter_.__contains__, filter_.add, filter_.count, crivo.hash_key]:
            with self.assertRaisesRegex(crivo.Error, "^key " + text) as raised:
                ask("a\0\udcffb")
            self.assertEqual(raised.exception.code, "bad argument")
        for many in [filter_.contains_many, filter_.update, crivo.Filter]:
            self.assertRaisesRegex(crivo.Error, r"^keys\[1\] " + text, many, ["a", "é€\udcff"])
        self.assertEqual(len(filter_), 1)  # update added the key before the invalid one

    def test_any_iterable_will_do(self):
        keys = [f"user{i}" for i in range(3000)]
        expected = crivo.Filter(keys).to_bytes("raw")
        for form in [tuple(keys), set(keys), dict.fromkeys(keys), iter(keys), (key for key in keys), map(str, keys)]:
            self.assertEqual(crivo.Filter(form).to_bytes("raw"), expected, type(form))
        for form in [tuple(keys), iter(keys), (key for key in keys)]:
            self.assertEqual(crivo.Filter(keys).contains_many(form), [True] * len(keys))
        self.assertEqual(crivo.Filter(keys).contains_many([]), [])
        self.assertNotIn("a", crivo.Filter([]))

    def test_an_iterable_that_raises_leaves_the_keys_before(self):
        def raising():
            yield "alpha"
            yield "beta"
            raise KeyError("gamma")

        filter_ = crivo.Filter(capacity=10)
        self.assertRaisesRegex(KeyError, "gamma", filter_.update, raising())
        self.assertEqual(len(filter_), 2)
        self.assertIn("beta", filter_)
        self.assertRaisesRegex(KeyError, "gamma", crivo.Filter, raising())
        self.assertRaisesRegex(KeyError, "gamma", filter_.contains_many, raising())


class ArraysTest(unittest.TestCase):
    def check(self, keys, wanted=None):
        """An array means the same keys as the list of its items, with the same bytes, for builds and for lookups."""
        items = list(keys) if wanted is None else wanted
        built = crivo.Filter(keys, fp_rate=RATE)
        self.assertEqual(built.to_bytes("raw"), crivo.Filter(items, fp_rate=RATE).to_bytes("raw"))
        answers = built.contains_many(keys)
        self.assertIsInstance(answers, memoryview)
        self.assertEqual(answers.tolist(), [True] * len(items))
        updated = crivo.Filter(capacity=max(1, len(items)), fp_rate=RATE)
        updated.update(keys)
        self.assertEqual(updated.contains_many(items), [True] * len(items))
        self.assertEqual(len(updated), len(items))
        self.assertEqual(built.contains_many([*items, "absent"])[-1], False)

    def test_numbers(self):
        for letter in "bhilq":
            self.check(array.array(letter, [-128, -1, 0, 1, 127]))
        for letter in "BHILQ":
            self.check(array.array(letter, [0, 1, 255]))
        self.check(array.array("q", [-(2**63), 2**63 - 1]))
        self.check(array.array("Q", [0, 2**63 - 1, 2**63, 2**64 - 1]))
        self.check(array.array("d", [0.5, 7.0, -0.0, 1e19, 1e20, float("inf"), NAN, -NAN]))
        self.check(array.array("d", [1e19, 2.0**63, 2.0**64]), [10**19, 2**63, 2**64])
        self.check(array.array("f", [0.5, 0.1, 7.0, 1e19, NAN, -NAN]))
        self.check(memoryview(b"\0\1").cast("?"))
        self.check(memoryview(b"\0\2\xff").cast("?"), [False, True, True])
        self.check((ctypes.c_int32 * 3)(1, -2, 3))
        self.check((ctypes.c_double * 2)(1.5, 2))
        self.check(array.array("q"))
        self.check(memoryview(array.array("q", range(5000)))[4000:10:-3])

    def test_fixed_width_bytes(self):
        data = bytes(range(256)) * 3
        rows = [data[i:i + 16] for i in range(0, len(data), 16)]
        self.check(memoryview(data).cast("B", (48, 16)), rows)
        self.check(memoryview(data).cast("c", (48, 16)), rows)
        self.check(((ctypes.c_char * 16) * 48).from_buffer_copy(data), rows)
        self.check(memoryview(data).cast("c"), [bytes([byte]) for byte in data])

    def test_hashes(self):
        keys = [f"user{i}" for i in range(2000)]
        for seed in [0, 7, 2**64 - 1]:
            hashes = array.array("Q", [crivo.hash_key(key, seed) for key in keys])
            expected = crivo.Filter(keys, seed=seed)
            for given in [hashes, list(hashes), memoryview(hashes)]:
                self.assertEqual(crivo.Filter(given, seed=seed, hashed=True), expected)
                self.assertEqual(list(expected.contains_many(given, hashed=True)), [True] * 2000)
            updated = crivo.Filter(capacity=2000, seed=seed)
            updated.update(memoryview(hashes)[::-1], hashed=True)
            self.assertEqual(updated, expected)
        misaligned = memoryview(b"." + bytes(hashes))[1:].cast("Q")
        self.assertEqual(expected.contains_many(misaligned, hashed=True).tolist(), [True] * 2000)

    def test_what_is_no_hash_is_refused(self):
        filter_ = crivo.Filter(capacity=10)
        for wrong in [array.array("q", [1]), array.array("d", [1]), array.array("I", [1])]:
            self.assertRaisesRegex(TypeError, "array of 64-bit unsigned integers", filter_.update, wrong, hashed=True)
        self.assertRaisesRegex(TypeError, r"keys\[1\] must be an int if hashed is true, got str", filter_.update,
                               [1, "a"], hashed=True)
        for wrong in [-1, 2**64]:
            self.assertRaisesRegex(crivo.Error, r"keys\[0\] must be an int from 0 to 2\^64 - 1", filter_.update,
                                   [wrong], hashed=True)

    def test_arrays_of_another_shape_are_refused(self):
        class Either(ctypes.Union):
            _fields_ = [("real", ctypes.c_double), ("integer", ctypes.c_int64)]

        filter_ = crivo.Filter(capacity=10)
        self.assertRaises(TypeError, filter_.update, (Either * 2)())
        self.assertRaises(TypeError, filter_.add, Either())
        for wrong in [memoryview(bytes(8)).cast("B", (2, 2, 2)), memoryview(bytes(32)).cast("q", (2, 2))]:
            self.assertRaises((TypeError, NotImplementedError), filter_.update, wrong)
        self.assertEqual(len(filter_), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
