"""Filters of the kind range: which objects are keys, and lookups of ranges."""

import array
import sys
import unittest

import crivo

LEAST, MOST = -(2**63), 2**63 - 1


def ranges(keys, fp_rate=1e-6, length=16, **options):
    return crivo.Filter(keys, fp_rate, kind=f"range:{length}", **options)


class Number:
    def __index__(self):
        return 7


class RangeTest(unittest.TestCase):
    def test_ranges_include_both_ends(self):
        keys = [LEAST, -1000, 0, MOST]
        filter_ = ranges(keys)
        self.assertEqual(filter_.to_bytes("raw"), ranges(array.array("q", keys)).to_bytes("raw"))
        for key in keys:
            self.assertIn(key, filter_)
            self.assertIs(filter_.contains_range(max(LEAST, key - 9), key), True)
            self.assertIs(filter_.contains_range(key, min(MOST, key + 9)), True)
        self.assertIs(filter_.contains_range(-999, -990), False)
        self.assertIs(filter_.contains_range(5, 4), False)

    def test_bytes_are_in_their_order(self):
        words = ranges([b"apple", bytearray(b"banana split"), memoryview(b"cherry")], length=256)
        self.assertIn(b"banana split", words)
        self.assertNotIn(b"banana", words)
        self.assertTrue(words.contains_range(b"banana ", b"banana "), "what starts with the upper end is included")
        self.assertFalse(words.contains_range(b"banana-", b"banana-"))
        self.assertTrue(words.contains_range(b"", b""))
        rows = memoryview(b"abcdefghijkl").cast("B", (3, 4))
        self.assertEqual(ranges(rows).to_bytes("raw"), ranges([b"abcd", b"efgh", b"ijkl"]).to_bytes("raw"))

    def test_all_that_is_an_integer(self):
        filter_ = ranges([True, Number(), 250])
        self.assertEqual([1 in filter_, 7 in filter_, 250 in filter_, 8 in filter_], [True, True, True, False])
        for letter in "bBhHiIlLqQ":
            items = array.array(letter, [1, 7, 100])
            self.assertEqual(ranges(items).to_bytes("raw"), ranges([1, 7, 100]).to_bytes("raw"), letter)
            self.assertEqual(list(filter_.contains_many(items)), [True, True, False], letter)
        negative = array.array("h", [-300, -1])
        self.assertEqual(ranges(negative).to_bytes("raw"), ranges([-300, -1]).to_bytes("raw"))

    def test_what_has_another_order_is_refused(self):
        filter_ = ranges([1, 2, 3])
        for wrong in ["1", 1.0, None, [1]]:
            advice = f"key must be int or bytes for the kind range, as .* got {type(wrong).__name__}"
            with self.assertRaisesRegex(TypeError, advice):
                wrong in filter_
            with self.assertRaisesRegex(TypeError, advice):
                filter_.contains_range(wrong, 2)
            with self.assertRaisesRegex(TypeError, advice):
                filter_.contains_range(2, wrong)
            with self.assertRaisesRegex(TypeError, r"keys\[1\] must be int or bytes"):
                ranges([1, wrong])
            with self.assertRaisesRegex(TypeError, r"keys\[0\] must be int or bytes"):
                filter_.contains_many([wrong])
        with self.assertRaisesRegex(TypeError, r"keys\[0\] must be int or bytes"):
            ranges(array.array("d", [1.0]))
        with self.assertRaisesRegex(TypeError, "two ints or two bytes"):
            filter_.contains_range(1, b"2")
        for wrong in [2**63, LEAST - 1, 2**70]:
            with self.assertRaisesRegex(crivo.Error, r"key must be from -2\^63 to 2\^63 - 1"):
                wrong in filter_
            with self.assertRaisesRegex(crivo.Error, r"keys\[1\] must be from"):
                ranges([1, wrong])
        with self.assertRaisesRegex(crivo.Error, r"keys\[0\] must be from"):
            ranges(array.array("Q", [2**63]))

    def test_hashes_are_ordered_numbers(self):
        filter_ = ranges([5 + 2**63], hashed=True)
        self.assertEqual(filter_.to_bytes("raw"), ranges([5]).to_bytes("raw"))
        numbers = array.array("Q", [5 + 2**63, 6 + 2**63])
        self.assertEqual(filter_.contains_many(numbers, hashed=True).tolist(), [True, False])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
