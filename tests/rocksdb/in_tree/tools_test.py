#!/usr/bin/env python3
"""RocksDB's tools with the plugin: db_bench writes and reads with an OPTIONS file, ldb compacts, and sst_dump prints.

usage: tools_test.py ROCKSDB_BUILD
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
KEYS = 50000
OPTIONS = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  create_if_missing=true
[CFOptions "default"]
  compression=kNoCompression
[TableOptions/BlockBasedTable "default"]
  filter_policy={}
"""


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.db = f"{self.folder.name}/db"

    def run_tool(self, tool, *arguments):
        return subprocess.run([BUILD / tool, *arguments], cwd=self.folder.name, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def bench(self, policy, *benchmarks):
        options = pathlib.Path(self.folder.name, "OPTIONS")
        options.write_text(OPTIONS.format(policy))
        return self.run_tool("db_bench", f"--db={self.db}", f"--options_file={options}", f"--num={KEYS}",
                             "--statistics", "--benchmarks=" + ",".join(benchmarks))

    def assert_all_files_have_filters(self):
        properties = self.run_tool("tools/sst_dump", "--show_properties", f"--file={self.db}").stdout
        names = re.findall(r"filter policy name: (.*)", properties)
        self.assertEqual(set(names), {"crivo.Ribbon"}, properties)
        entries = [int(number) for number in re.findall(r"# entries for filter: (\d+)", properties)]
        self.assertEqual(len(entries), len(names))
        self.assertGreater(min(entries), 0)

    def test_db_bench_and_ldb_use_the_policy(self):
        bench = self.bench("crivo.Ribbon:10:-1", "fillrandom", "flush", "readmissing")
        self.assertEqual(bench.returncode, 0, bench.stdout)
        useful = int(re.search(r"rocksdb\.bloom\.filter\.useful COUNT : (\d+)", bench.stdout)[1])
        self.assertGreater(useful, 0.97 * KEYS, bench.stdout)
        self.assert_all_files_have_filters()
        compacted = self.run_tool("tools/ldb", f"--db={self.db}", "--try_load_options", "compact")
        self.assertEqual(compacted.returncode, 0, compacted.stdout)
        self.assert_all_files_have_filters()

    def test_db_bench_refuses_a_misspelt_policy(self):
        bench = self.bench("crivo.Blom:10", "fillrandom")
        self.assertNotEqual(bench.returncode, 0)
        self.assertIn("name must be", bench.stdout)


if __name__ == "__main__":
    unittest.main()
