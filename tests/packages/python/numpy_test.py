"""NumPy arrays, with the tests of keys_test.py. Exits with 77 without NumPy."""

import sys
import unittest

import crivo
import keys_test

try:
    import numpy
except ImportError:
    print("NumPy is missing: on Debian, python3-numpy")
    sys.exit(77)


class NumpyTest(keys_test.ArraysTest):
    def test_numbers(self):
        for kind in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", "<i8", ">u8",
                     ">f4"]:
            self.check(numpy.arange(100).astype(kind), numpy.arange(100).tolist())
        self.check(numpy.array([True, False]), [True, False])
        self.check(numpy.array([2**63, 10**19, 2**64 - 2048], "u8"), [2.0**63, 1e19, 2.0**64 - 2048])
        halves = numpy.arange(2**16).astype("u2").view("f2")
        self.check(halves, halves.tolist())
        self.check(numpy.array([0.1, 1e-8, 65504, -0.0, numpy.inf, -numpy.nan], "f2"),
                   [0.0999755859375, 0.0, 65504, 0, "inf", "nan"])
        self.check(numpy.arange(1000)[::7], list(range(0, 1000, 7)))
        self.check(numpy.arange(10)[::-1], list(range(9, -1, -1)))
        self.check(numpy.broadcast_to(numpy.int64(7), 5), [7] * 5)

    def test_fixed_width_bytes(self):
        names = [b"a", b"ab\0c", b"", b"0123456789abcdef"]
        self.check(numpy.array(names, "S16"), names)
        self.check(numpy.array(names, "S16")[::-1], names[::-1])
        digests = [bytes([i]) * 15 + bytes([i % 2]) for i in range(1, 99)]  # every second one ends with a NUL
        self.check(numpy.frombuffer(b"".join(digests), "V16"), digests)
        self.check(numpy.frombuffer(b"".join(digests), "u1").reshape(-1, 16), digests)
        self.check(numpy.frombuffer(b"".join(digests), "u1").reshape(-1, 16)[::2], digests[::2])
        self.check(numpy.frombuffer(b"".join(digests), "S16"), [digest.rstrip(b"\0") for digest in digests])

    def test_what_is_iterated_over(self):
        self.check_iterated(numpy.array(["a", "naïve"]), ["a", "naïve"])
        self.check_iterated(numpy.array(["a", 1], dtype=object), ["a", 1])
        self.assertRaises(TypeError, crivo.Filter(capacity=9).update, numpy.eye(2))
        for wrong in [numpy.array([1j]), numpy.array(["2026-01-01"], "M8[D]"), numpy.zeros(2, "g"),
                      numpy.zeros(2, "i4,i4")]:
            self.assertRaisesRegex(TypeError, r"^keys\[0\] must be", crivo.Filter(capacity=9).update, wrong)

    def test_a_masked_item_is_no_key(self):
        array_ = numpy.ma.masked_array([1, 2, 3], mask=[False, True, False])
        for masked in [array_, list(array_)]:
            self.assertRaisesRegex(TypeError, r"^keys\[1\] must be .*, got MaskedConstant$", crivo.Filter, masked)
        self.assertRaises(TypeError, crivo.Filter(capacity=9).add, numpy.ma.masked)
        self.check_iterated(numpy.ma.masked_array([1, 2, 3]), [1, 2, 3])
        self.check(array_.compressed(), [1, 3])

    def check_iterated(self, keys, items):
        built = crivo.Filter(keys, fp_rate=keys_test.RATE)
        self.assertEqual(built, crivo.Filter(items, fp_rate=keys_test.RATE))
        answers = built.contains_many(keys)
        self.assertIsInstance(answers, memoryview)
        self.assertEqual(answers.tolist(), [True] * len(items))

    def test_answers_are_an_array_without_a_copy(self):
        filter_ = crivo.Filter(numpy.arange(100), fp_rate=keys_test.RATE)
        asked = numpy.arange(50, 150)
        answers = filter_.contains_many(asked)
        array_ = numpy.asarray(answers)
        self.assertEqual(array_.dtype, bool)
        self.assertTrue(numpy.shares_memory(array_, numpy.frombuffer(answers, bool)))
        self.assertEqual(asked[array_].tolist(), list(range(50, 100)))

    def test_scalars(self):
        filter_ = crivo.Filter([7, "text", b"bytes", 0.5], fp_rate=keys_test.RATE)
        for scalar in [numpy.int32(7), numpy.uint64(7), numpy.float64(7), numpy.str_("text"), numpy.bytes_(b"bytes")]:
            self.assertIn(scalar, filter_)

    def test_items_are_taken_where_their_array_is(self):
        for kind in ["?", "i1", "u8", "f2", "f4", "f8", ">f4", "S3", "V3"]:
            array_ = numpy.array([0, 1], kind) if kind != "V3" else numpy.array([b"ab\0", b"xyz"], "V3")
            self.check(array_, list(array_))
            filter_ = crivo.Filter(array_, capacity=9, kind="counting", fp_rate=keys_test.RATE)
            for item in array_:
                self.assertIn(item, filter_, kind)
                filter_.remove(item)
            self.assertFalse(any(item in filter_ for item in array_), kind)
        for wrong in [numpy.longdouble(1), numpy.complex64(1), numpy.datetime64("2026-01-01"),
                      numpy.zeros(2, "i4,i4")[0]]:
            self.assertRaisesRegex(TypeError, "^key must be", filter_.add, wrong)

    def test_an_array_is_not_one_key(self):
        text = "^key must be str, bytes, int or float, got ndarray$"
        self.assertRaisesRegex(TypeError, text, crivo.Filter(capacity=9).__contains__, numpy.arange(2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
