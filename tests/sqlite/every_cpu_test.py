#!/usr/bin/python3
"""Values in an index are the same on every CPU. usage: every_cpu_test.py SQLITE3 CRIVO_SO

libm selects variants of exp, log and pow by CPU, which differ in the last digit, and Crivo selects its kernels. The
test writes a database with the most advanced CPU features and checks it with the fewest, and the other way round.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXTENSION = sys.argv.pop()
SHELL = sys.argv.pop()

BEST = {}
PLAINEST = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-FMA4_Usable",
            "CRIVO_ISA": "scalar"}

# Filters of seven kinds, with another rate, size and fill in each row.
TABLE = """
CREATE TABLE t(capacity, rate, kind, f, g);
WITH kinds(kind) AS (VALUES ('blocked'), ('classic'), ('compressed'), ('counting'), ('cuckoo'), ('spectral'), ('scalable')),
     steps(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM steps WHERE i < 150)
INSERT INTO t(capacity, rate, kind) SELECT i * (1 + i % 17), 0.3 / (1 + i * (i % 9)), kind FROM steps, kinds;
UPDATE t SET f = bloom_add(bloom_create(capacity, rate, kind), 1, 'two', 3.5, rowid), g = bloom_create(capacity, rate, kind);
UPDATE t SET f = bloom_add_many(f, (SELECT json_group_array(e.rowid) FROM t AS e WHERE e.rowid < t.capacity / 3)),
             g = bloom_add_many(g, (SELECT json_group_array(e.rowid * 2) FROM t AS e WHERE e.rowid < t.capacity / 5));
CREATE INDEX of_create ON t(bloom_create(capacity, rate, kind));
CREATE INDEX of_contains ON t(bloom_contains(f, 'two'));
CREATE INDEX of_cardinality ON t(bloom_cardinality(f));
CREATE INDEX of_info ON t(bloom_info(f));
CREATE INDEX of_rate ON t(bloom_current_fp_rate(f));
CREATE INDEX of_jaccard ON t(bloom_jaccard(f, g)) WHERE kind IN ('blocked', 'classic', 'compressed', 'counting');
CREATE INDEX of_union ON t(bloom_union(f, g)) WHERE kind IN ('blocked', 'classic', 'compressed', 'counting');
CREATE INDEX of_raw ON t(bloom_raw(f));
CREATE INDEX of_compress ON t(bloom_compress(f));
CREATE INDEX of_clear ON t(bloom_clear(f));
"""


class EveryCpu(unittest.TestCase):
    def run_sql(self, database, cpu, sql):
        command = [SHELL, "-batch", "-init", "/dev/null", database, "-cmd", ".load " + EXTENSION.removesuffix(".so")]
        done = subprocess.run(command, input=sql, env=dict(os.environ, **cpu), capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def check(self, writer, reader):
        with tempfile.TemporaryDirectory() as folder:
            database = str(pathlib.Path(folder) / "t.db")
            self.run_sql(database, writer, TABLE)
            self.assertEqual(self.run_sql(database, reader, "PRAGMA integrity_check;"), "ok\n")
            self.assertGreater(int(self.run_sql(database, reader, "SELECT count(DISTINCT bloom_current_fp_rate(f)) FROM t;")), 500)

    def test_what_the_best_wrote_the_plainest_finds(self):
        self.check(BEST, PLAINEST)

    def test_what_the_plainest_wrote_the_best_finds(self):
        self.check(PLAINEST, BEST)


if __name__ == "__main__":
    unittest.main()
