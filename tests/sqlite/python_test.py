#!/usr/bin/python3
"""The extension in Debian's Python, through the sqlite3 module. usage: python_test.py CRIVO_SO"""

import sqlite3
import sys
import threading
import unittest

EXTENSION = sys.argv.pop(1)


def connect():
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(EXTENSION)
    connection.enable_load_extension(False)
    return connection


class PythonTest(unittest.TestCase):
    def one(self, sql, *args):
        return self.db.execute(sql, args).fetchone()[0]

    def setUp(self):
        self.db = connect()

    def tearDown(self):
        self.db.close()

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, r"^bloom_create: fp_rate must be in \(0, 1\), got 2$"):
            self.one("SELECT bloom_create(10, 2)")
        with self.assertRaisesRegex(sqlite3.OperationalError, "^bloom_contains: blob size must"):
            self.one("SELECT bloom_contains(?, 1)", b"junk")

    def test_errors_are_whole_characters(self):
        """If a message ends inside a character, Python raises UnicodeDecodeError."""
        for character in ["é", "漢", "🌍", "a"]:
            for before in range(8):
                text = "x" * before + character * 60
                for sql in ["SELECT bloom_create(1, 0.1, ?)", "SELECT bloom_create(1, 0.1, 'spectral:' || ?)",
                            "SELECT bloom_contains(?, 1)", "SELECT bloom_add_many(bloom_create(1), ?)"]:
                    with self.assertRaisesRegex(sqlite3.OperationalError, r"got '[^']{9,40}\.\.\.'") as raised:
                        self.one(sql, text)
                    self.assertNotIn("?", str(raised.exception))
                    self.assertLess(len(str(raised.exception)), 441)
        with self.assertRaisesRegex(sqlite3.OperationalError, r"got 'a\?\?b' \("):
            self.one("SELECT bloom_contains(CAST(x'61ff0062' AS TEXT), 1)")

    def test_iterdump_cannot_list_the_keys_of_a_filter_table(self):
        self.db.execute("CREATE VIRTUAL TABLE t USING bloom(capacity=100)")
        with self.assertRaisesRegex(sqlite3.OperationalError, "a filter cannot list its keys"):
            list(self.db.iterdump())

    def test_threads_have_a_connection_each(self):
        wrong = []

        def work(seed):
            db = connect()
            sql = ("WITH n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 2000) SELECT sum(bloom_contains("
                   "(SELECT bloom_agg(i, 2000, 0.01, 'blocked', ?) FROM n), i)) FROM n")
            wrong.extend(hits for _ in range(5) if (hits := db.execute(sql, (seed,)).fetchone()[0]) != 2000)
            db.close()

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
