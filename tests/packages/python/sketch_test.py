"""crivo.Sketch: the difference of two sets."""

import array
import pickle
import sys
import threading
import unittest

import crivo


class SketchTest(unittest.TestCase):
    def test_gives_the_keys_of_each_side(self):
        for keys, mine, theirs in (
            ("integers", {-5, 1, 2**62, 7}, {1, 7, 9}),
            ("bytes:3", {b"ann", b"bob"}, {b"bob", b"cid", b"\0\0\0"}),
            ("hashes", {crivo.hash_key(name) for name in ("a", "b", "c")}, {crivo.hash_key(name) for name in "cd"}),
        ):
            made = [crivo.Sketch(keys=keys, symbols=60) for _ in range(2)]
            for sketch, items in zip(made, (mine, theirs)):
                sketch.update(items, hashed=keys == "hashes")
            found = made[0].difference(made[1])
            self.assertEqual(found, (sorted(mine - theirs), sorted(theirs - mine)), keys)
            self.assertEqual(found.only_other, sorted(theirs - mine))
            self.assertEqual(made[0].difference(made[0]), ([], []))
            self.assertEqual(made[0].facts, (keys, 60, 0, 0, len(mine)))

    def test_is_the_same_however_it_is_made(self):
        numbers = list(range(1, 1001))
        hashes = array.array("Q", [crivo.hash_key(number, 3) for number in numbers])
        expected = crivo.Sketch(numbers, symbols=50, seed=3).to_bytes()
        grown = crivo.Sketch(iter(numbers[:600]), symbols=50, seed=3)
        for number in numbers[600:] + [5000]:
            grown.add(number)
        grown.remove(5000)
        joined = crivo.Sketch(numbers, symbols=20, seed=3)
        joined.append(crivo.Sketch(numbers, symbols=30, first=20, seed=3))
        halves = crivo.Sketch(numbers[::2], symbols=50, seed=3)
        halves.combine(crivo.Sketch(numbers[1::2], symbols=50, seed=3))
        for made in (grown, joined, halves, crivo.Sketch(array.array("q", numbers), symbols=50, seed=3),
                     crivo.Sketch(hashes, symbols=50, seed=3, hashed=True), crivo.Sketch.from_bytes(expected),
                     pickle.loads(pickle.dumps(grown)), crivo.Sketch([str(number) for number in numbers], symbols=50, seed=3)):
            self.assertEqual(made.to_bytes(), expected)

    def test_too_few_symbols_are_not_yet(self):
        self.assertIsNone(crivo.Sketch(range(50), symbols=20).difference(crivo.Sketch(symbols=20)))
        enough = crivo.sketch_symbols(50)
        self.assertEqual(len(crivo.Sketch(range(50), symbols=enough).difference(crivo.Sketch(symbols=enough))[0]), 50)

    def test_refuses_what_cannot_be(self):
        for error, arguments, message in (
            (crivo.Error, {"symbols": 0}, "symbols must"),
            (TypeError, {}, "symbols"),
            (crivo.Error, {"symbols": 5, "keys": "words"}, "keys must be hashes, integers or bytes:N"),
            (crivo.Error, {"symbols": 5, "first": 2**32}, "first must be below 4294967296"),
            (crivo.Error, {"symbols": 5, "max_bytes": 10}, "symbols must fit in 10 bytes"),
            (crivo.Error, {"items": [b"12"], "symbols": 5, "keys": "bytes:3"}, "key must have the 3 bytes of the sketch's keys, got 2"),
            (TypeError, {"items": [123], "symbols": 5, "keys": "bytes:3"}, "key must be bytes or a str in a sketch of bytes"),
            (TypeError, {"items": ["x"], "symbols": 5, "keys": "integers"}, "key must be an int in a sketch of integers"),
            (crivo.Error, {"items": [2**63], "symbols": 5, "keys": "integers"}, "key must be an integer from -2"),
            (crivo.Error, {"items": [1], "symbols": 5, "keys": "integers", "hashed": True}, "hashed must be False"),
            (TypeError, {"items": "text", "symbols": 5}, "keys must be an iterable of keys"),
        ):
            with self.assertRaisesRegex(error, message):
                crivo.Sketch(**arguments)
        sketch = crivo.Sketch(symbols=5)
        with self.assertRaisesRegex(TypeError, "other must be a Sketch, got"):
            sketch.difference(crivo.Filter(["a"]))
        with self.assertRaisesRegex(crivo.Error, "seed must be the same in both sketches, got 0 and 1"):
            sketch.difference(crivo.Sketch(symbols=5, seed=1))
        with self.assertRaisesRegex(crivo.Error, "kind must be sketch, got blocked, a filter"):
            crivo.Sketch.from_bytes(crivo.Filter(["a"]).to_bytes("raw"))
        with self.assertRaisesRegex(crivo.Error, "kind must be that of a filter, got sketch"):
            crivo.Filter.from_bytes(sketch.to_bytes())
        blob = bytearray(sketch.to_bytes())
        blob[80] ^= 1
        with self.assertRaisesRegex(crivo.Error, "checksum must match"):
            crivo.Sketch.from_bytes(blob)

    def test_threads_change_and_ask_one_sketch(self):
        sketch = crivo.Sketch(symbols=500)
        parts = [array.array("Q", range(start, 400_000, 4)) for start in range(4)]
        workers = [threading.Thread(target=sketch.update, args=(part,), kwargs={"hashed": True}) for part in parts]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            sketch.difference(sketch)
            sketch.to_bytes()
        for worker in workers:
            worker.join()
        self.assertEqual(sketch.to_bytes(), crivo.Sketch(array.array("Q", range(400_000)), symbols=500, hashed=True).to_bytes())

    def test_other_errors_pass(self):
        class Odd:
            def __index__(self):
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            crivo.Sketch(symbols=5, keys="integers").add(Odd())
        with self.assertRaisesRegex(TypeError, r"keys\[1\]"):
            crivo.Sketch(["a", None], symbols=5)

    def test_what_is_derived_keeps_its_attributes(self):
        class Named(crivo.Sketch):
            pass
        globals()["Named"] = Named
        Named.__qualname__ = "Named"
        sketch = Named(range(9), symbols=50)
        sketch.name = "nine"
        again = pickle.loads(pickle.dumps(sketch))
        self.assertIs(type(again), Named)
        self.assertEqual((again.name, again.to_bytes()), ("nine", sketch.to_bytes()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
