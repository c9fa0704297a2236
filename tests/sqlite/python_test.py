#!/usr/bin/python3
"""The extension in Debian's Python, through the sqlite3 module. usage: python_test.py CRIVO_SO"""

import sqlite3
import sys
import threading
import unittest

EXTENSION = sys.argv.pop(1)


def connect(path=":memory:"):
    connection = sqlite3.connect(path)
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

    def test_python_values_are_keys(self):
        stored = [1, "two", b"three", 4.5, 5.0, "", "naïve", -(2**63)]
        filter_ = self.one("SELECT bloom_create(100, 1e-9)")
        for key in stored:
            filter_ = self.one("SELECT bloom_add(?, ?)", filter_, key)
        self.assertIsInstance(filter_, bytes)
        for key in stored + ["1", 1.0, b"two", "4.5", 5, b""]:
            self.assertEqual(self.one("SELECT bloom_contains(?, ?)", filter_, key), 1, key)
        self.assertEqual(self.one("SELECT bloom_contains(?, ?)", filter_, "absent"), 0)
        self.assertIsNone(self.one("SELECT bloom_contains(?, ?)", filter_, None))

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

    def test_a_cached_statement_asks_the_filter_bound_now(self):
        a = self.one("SELECT bloom_agg('a')")
        b = self.one("SELECT bloom_agg('b')")
        for _ in range(50):
            self.assertEqual(self.one("SELECT bloom_contains(?, 'a')", a), 1)
            self.assertEqual(self.one("SELECT bloom_contains(?, 'a')", b), 0)

    def test_connections_come_and_go(self):
        """The library stays loaded: closing a connection does not affect others."""
        for _ in range(20):
            other = connect()
            self.assertEqual(other.execute("SELECT bloom_valid(bloom_create(9))").fetchone(), (1,))
            other.close()
        self.assertEqual(self.one("SELECT bloom_valid(bloom_create(9))"), 1)

    def test_copies_have_the_filter_tables(self):
        self.db.execute("CREATE VIRTUAL TABLE t USING bloom(capacity=100)")
        self.db.execute("INSERT INTO t(key) VALUES ('a')")
        self.db.commit()
        with self.assertRaisesRegex(sqlite3.OperationalError, "a filter cannot list its keys"):
            list(self.db.iterdump())
        backup = connect()
        self.db.backup(backup)
        copies = [backup]
        if hasattr(self.db, "serialize"):  # since Python 3.11
            copies.append(connect())
            copies[-1].deserialize(self.db.serialize())
        for copy in copies:
            self.assertEqual(copy.execute("SELECT key FROM t WHERE key IN ('a', 'b')").fetchall(), [("a",)])
            copy.close()

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
