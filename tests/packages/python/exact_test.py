"""Filter.exact: certain answers for every key of a universe."""

import array
import sys
import unittest

import crivo

MEMBERS = range(0, 20_000, 10)
OTHERS = [key for key in range(20_000) if key % 10]


class ExactTest(unittest.TestCase):
    def test_both_sides_are_certain_whatever_they_are_made_of(self):
        expected = crivo.Filter.exact(MEMBERS, OTHERS).to_bytes("raw")
        for made in (
            crivo.Filter.exact(array.array("q", MEMBERS), array.array("i", OTHERS)),
            crivo.Filter.exact((str(key) for key in MEMBERS), iter(OTHERS)),
            crivo.Filter.exact(MEMBERS, OTHERS, threads=2, max_memory=2**24),
            crivo.Filter.exact(*([crivo.hash_key(key) for key in side] for side in (MEMBERS, OTHERS)), hashed=True),
        ):
            self.assertEqual(made.to_bytes("raw"), expected)
            self.assertTrue(all(made.contains_many(MEMBERS)))
            self.assertFalse(any(made.contains_many(OTHERS)))
            self.assertEqual((made.facts.kind, made.facts.fp_rate, len(made)), ("exact", 1, 20_000))
            self.assertEqual(made.facts.can, ("exact",))

    def test_it_takes_a_rate_for_keys_outside(self):
        self.assertEqual(crivo.Filter.exact(MEMBERS, OTHERS, 0.01).facts.fp_rate, 0.01)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(crivo.Error, "key must be in only one set, got one in both"):
            crivo.Filter.exact([1, 2], [3, 2])
        with self.assertRaisesRegex(crivo.Error, "got exact; use Filter.exact"):
            crivo.Filter([1, 2], kind="exact")
        for members, others in (("abc", [1]), ([1], b"abc"), (None, [1]), ([1], 7)):
            with self.assertRaises((TypeError, crivo.Error)):
                crivo.Filter.exact(members, others)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
