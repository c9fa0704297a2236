"""crivo.Map: values for keys, from any object that has both."""

import array
import copy
import os
import pickle
import sys
import tempfile
import unittest

import crivo

SQUARES = {i: i * i for i in range(2000)}


class MapTest(unittest.TestCase):
    def test_every_key_has_its_value_whatever_it_is_made_of(self):
        keys, values = array.array("q", SQUARES), array.array("I", SQUARES.values())
        expected = crivo.Map(SQUARES).to_bytes("raw")
        for made in (
            crivo.Map(SQUARES.items()),
            crivo.Map((pair for pair in SQUARES.items())),
            crivo.Map(SQUARES.keys(), SQUARES.values()),
            crivo.Map(keys, values),
            crivo.Map(keys, iter(values)),
            crivo.Map([str(key) for key in keys], values),
            crivo.Map(SQUARES, threads=2, max_memory=2**24),
            crivo.Map(array.array("Q", map(crivo.hash_key, keys)), values, hashed=True),
        ):
            self.assertEqual(made.to_bytes("raw"), expected)
            self.assertEqual(made.get_many(SQUARES), list(SQUARES.values()))
            found_values, found = made.find_many(keys)
            self.assertEqual((list(found_values), all(found)), (list(SQUARES.values()), True))
            self.assertEqual([made[7], made["7"], made.get(7.0), len(made)], [49, 49, 49, 2000])
            self.assertIn(7, made)

    def test_absent_keys(self):
        ports = crivo.Map({"ssh": 22, "most": 2**32 - 1}, fp_rate=1e-9)
        self.assertEqual([ports.get("gopher"), ports.get("gopher", 70), ports["most"]], [None, 70, 2**32 - 1])
        with self.assertRaises(KeyError):
            ports["gopher"]
        self.assertEqual(ports.get_many(["gopher", "ssh"], default=0), [0, 22])
        self.assertNotIn("gopher", ports)
        every = crivo.Map(SQUARES, fp_rate=1)
        self.assertEqual(len(every.get_many(range(5000, 6000))), 1000)
        self.assertNotIn(None, every.get_many(range(5000, 6000)))
        self.assertEqual(crivo.Map({}).get("any"), None)

    def test_value_bits(self):
        self.assertEqual(crivo.Map({"a": 5}).facts.param, 3)
        self.assertEqual(crivo.Map({"a": 5}, value_bits=32, fp_rate=1).facts.k, 32)

    def test_it_comes_back_as_a_map(self):
        made = crivo.Map(SQUARES)
        path = os.path.join(tempfile.mkdtemp(), "squares.crivo")
        made.save(path, "mappable")
        for other in (crivo.open(path), crivo.Map.open(path), crivo.Filter.from_bytes(made.to_bytes()),
                      crivo.Map.from_bytes(made.to_bytes()), pickle.loads(pickle.dumps(made)), copy.copy(made)):
            self.assertIs(type(other), crivo.Map)
            self.assertEqual(other.get_many(SQUARES), list(SQUARES.values()))
        with self.assertRaisesRegex(crivo.Error, r"^kind must have values \(map\), got blocked$"):
            crivo.Map.from_bytes(crivo.Filter(["a"]).to_bytes())

    def test_what_is_refused(self):
        for arguments, error, message in (
            (([("a", 1), ("a", 2)],), crivo.Error, "^value must be the same for each occurrence of a key, got 1 and 2"),
            (({"a": -1},), crivo.Error, "^value must be an int from 0 to"),
            (({"a": 2**32},), crivo.Error, r"^value must be in \[0, 4294967295\], got 4294967296"),
            (({"a": "1"},), TypeError, "^value must be an int, got str"),
            (({"a": 1.5},), TypeError, "^value must be an int, got float"),
            ((["a", "b"], [1]), crivo.Error, "^values must have one item per key, got 1"),
            ((["a"], [1, 2]), crivo.Error, "^values must have one item per key, got more than 1"),
            ((array.array("q", [1, 2]), array.array("q", [1])), crivo.Error, "^values must have one item per key, got 1"),
            ((array.array("q", [1]), array.array("q", [1, 2])), crivo.Error, "^values must have one item per key, got 2"),
            ((array.array("q", [1]), array.array("q", [-1])), crivo.Error, "^value must be an int from 0 to .*, got -1"),
            ((["a"], 7), TypeError, "not iterable"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(error, message):
                crivo.Map(*arguments)
        for keys in (["a"], []):
            with self.assertRaisesRegex(crivo.Error, "^kind must have keys without values, got map; use crivo.Map"):
                crivo.Filter(keys, kind="map")
        for walk in (iter, reversed, list):
            with self.assertRaises(TypeError):
                walk(crivo.Map({"a": 1}, fp_rate=1))
        self.assertEqual([list(view) for view in crivo.Map({}).find_many(["a", "b"])], [[0, 0], [False, False]])
        with self.assertRaises(crivo.Error) as caught:
            crivo.Map({"a": 1}).add("b")
        self.assertEqual(caught.exception.code, "unsupported")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
