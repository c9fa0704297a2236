"""crivo.load(), and filters that Python and SQL exchange."""

import os
import sqlite3
import sys
import unittest

import crivo

CAN_LOAD = hasattr(sqlite3.Connection, "enable_load_extension")


class RefusedTest(unittest.TestCase):
    @unittest.skipIf(CAN_LOAD, "this Python's sqlite3 loads extensions")
    def test_a_python_that_cannot_says_so(self):
        self.assertRaisesRegex(TypeError, "sqlite3 was built without that", crivo.load, sqlite3.connect(":memory:"))

    def test_what_is_no_connection(self):
        for wrong in [None, "file.db", object()]:
            self.assertRaisesRegex(TypeError, f"one of sqlite3 or apsw, got {type(wrong).__name__}", crivo.load, wrong)

    def test_the_path(self):
        self.assertTrue(os.path.isabs(crivo.loadable_path()))
        self.assertTrue(os.path.isfile(crivo.loadable_path()))


@unittest.skipUnless(CAN_LOAD, "this Python's sqlite3 was built without extension loading")
class SqliteTest(unittest.TestCase):
    def setUp(self):
        self.db = sqlite3.connect(":memory:")
        self.addCleanup(self.db.close)
        crivo.load(self.db)

    def one(self, sql, *args):
        return self.db.execute(sql, args).fetchone()[0]

    def test_ranges_are_those_of_sql(self):
        keys = [-(2**63), -5, 0, 1_700_000_000, 2**63 - 1]
        self.db.execute("CREATE TABLE n(key)")
        self.db.executemany("INSERT INTO n VALUES (?)", [(key,) for key in keys])
        in_sql = self.one("SELECT bloom_agg(key, NULL, 0.01, 'range:64') FROM n")
        in_python = crivo.Filter(keys, kind="range:64")
        self.assertEqual(in_python.to_bytes(), in_sql)
        self.assertTrue(crivo.Filter.from_bytes(in_sql).contains_range(-10, -5))
        self.assertEqual(self.one("SELECT bloom_contains_range(?, -10, -5)", in_python.to_bytes()), 1)

    def test_loading_stays_off_or_on_as_it_was(self):
        """By default, a connection may let C load extensions but not SQL, or neither."""
        untold, off, on = [sqlite3.connect(":memory:") for _ in range(3)]
        off.enable_load_extension(False)
        on.enable_load_extension(True)
        for db, message in [(untold, "not authorized"), (off, "not authorized"), (on, "cannot open shared object")]:
            self.addCleanup(db.close)
            for _ in range(2):
                crivo.load(db)
                with self.assertRaisesRegex(sqlite3.OperationalError, message):
                    db.execute("SELECT load_extension('/missing')")
        self.assertRaisesRegex(sqlite3.OperationalError, "not authorized", off.load_extension, "/missing")

    def test_what_cannot_be_loaded_is_not_tried_twice(self):
        class Broken:
            def enable_load_extension(self, on):
                raise AssertionError("loading was on")

            def load_extension(self, path):
                raise sqlite3.OperationalError(f"{path}: cannot open shared object file")

        self.assertRaisesRegex(sqlite3.OperationalError, "cannot open shared object", crivo.load, Broken())

    def test_the_same_keys_are_the_same_bytes(self):
        """Every kind, from a column in SQL and from a list in Python."""
        keys = [1, "two", b"three", 4.5, 5.0, "", "naïve", -(2**63), 2**63 - 1, 1e19, -1e19, 2.0**64, -0.0, 5e-324]
        self.db.execute("CREATE TABLE t(key)")
        self.db.executemany("INSERT INTO t VALUES (?)", [(key,) for key in keys])
        for kind in set(crivo.kinds()) - {"range", "map", "exact"}:  # their keys are not texts, or have values
            in_sql = self.one("SELECT bloom_raw(bloom_agg(key, 100, 0.001, ?)) FROM t", kind)
            in_python = crivo.Filter(keys, 0.001, kind, capacity=100)
            self.assertEqual(in_python.to_bytes("raw"), in_sql, kind)
            self.assertEqual(crivo.Filter.from_bytes(in_sql), in_python)
            for key in keys:
                self.assertEqual(self.one("SELECT bloom_contains(?, ?)", in_python.to_bytes(), key), 1)
                self.assertIn(key, crivo.Filter.from_bytes(in_sql))

    def test_errors(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, "^bloom_contains: blob size must"):
            self.one("SELECT bloom_contains(?, 1)", b"junk")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
