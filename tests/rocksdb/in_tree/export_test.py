#!/usr/bin/env python3
"""plugins/rocksdb/in_tree/export writes a folder that depends only on RocksDB.

usage: export_test.py PROJECT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
# The headers of RocksDB's own sources that the plugin includes, and the file that cxx20.h names for older standards.
OTHER = {"table/block_based/filter_policy_internal.h", "util/xxhash.h", "compile_with_std_c++20"}


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.rocksdb = pathlib.Path(folder.name)
        (cls.rocksdb / "include/rocksdb").mkdir(parents=True)
        (cls.rocksdb / "include/rocksdb/version.h").touch()
        cls.plugin = cls.rocksdb / "plugin/crivo"
        old = cls.plugin / "src/rocksdb/old.cc"  # from an earlier export
        old.parent.mkdir(parents=True)
        for path in (cls.plugin / "crivo.mk", old):
            path.touch()
        done = cls.export(cls.rocksdb)
        if done.returncode != 0 or old.exists():
            raise AssertionError(f"the export must succeed and replace an earlier one\n{done.stderr}")

    @staticmethod
    def export(folder):
        return subprocess.run([PROJECT / "plugins/rocksdb/in_tree/export", folder], text=True, capture_output=True,
                              check=False)

    def exported(self):
        return sorted(path for path in self.plugin.rglob("*") if path.suffix in (".cc", ".h"))

    # If a header is missing, a file that includes it fails. With the next test, no source file is missing either.
    def test_has_every_header_that_it_includes(self):
        for path in self.exported():
            for target in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
                places = [folder / target for folder in (path.parent, self.plugin / "src/core",
                                                         self.plugin / "src/rocksdb", self.plugin.parent)]
                self.assertTrue(any(place.exists() for place in places) or target in OTHER, f"{path}: {target}")

    def test_has_the_source_of_every_public_header(self):
        for path in self.exported():
            if path.parent in (self.plugin, self.plugin / "src/core/crivo/host"):
                for source in (PROJECT / "core/src").rglob(f"{path.stem}.cpp"):
                    there = self.plugin / "src/core" / source.relative_to(PROJECT / "core/src")
                    self.assertTrue(there.with_suffix(".cc").exists(), path)

    def test_includes_no_library_but_rocksdb(self):
        headers = {target for path in self.exported() for target in
                   re.findall(r"^#include <(.*\.h)>", path.read_text(), re.MULTILINE)}
        other = {header for header in headers if not header.startswith(("rocksdb/", "sys/"))}
        # <xxhash.h> is included if CRIVO_IN_ROCKSDB is not defined.
        self.assertLessEqual(other, {"arm_neon.h", "crivo/rocksdb.h", "fcntl.h", "immintrin.h", "linux/magic.h",
                                     "locale.h", "malloc.h", "stdlib.h", "time.h", "unistd.h", "xxhash.h"})

    def test_has_all_sources_of_the_plugin(self):
        base, ours = self.plugin / "src/rocksdb", PROJECT / "plugins/rocksdb"
        exported = {path.relative_to(base).with_suffix("") for path in self.exported()
                    if path.suffix == ".cc" and path.is_relative_to(base)}
        sources = {path.relative_to(ours).with_suffix("") for path in ours.rglob("*.cpp")}
        self.assertEqual(exported, {source for source in sources if source.parts[0] not in ("node", "preload", "tool")})

    def test_rocksdbs_makefile_compiles_all_of_it(self):
        sources = {path for path in self.exported() if path.suffix == ".cc"}
        patterns = re.findall(r"plugin/crivo/(src/\S*\.cc)\b", (self.plugin / "crivo.mk").read_text())
        self.assertEqual({path for pattern in patterns for path in self.plugin.glob(pattern)}, sources)

    # RocksDB's CMakeLists.txt reads the .mk file with these two expressions, and compiles the sources that the first
    # finds.
    def test_rocksdbs_cmake_finds_the_function_and_no_second_list_of_sources(self):
        makefile = (self.plugin / "crivo.mk").read_text()
        self.assertEqual(re.findall(r"_FUNC = ([^\n]*)", makefile), ["crivo_register"])
        self.assertEqual(re.findall(r"(?:SOURCES|_LIBS) = ([^\n]*)", makefile), [])
        self.assertIn('extern "C" int crivo_register(', (self.plugin / "src/rocksdb/policy/register.cc").read_text())

    def test_leaves_alone_what_it_has_not_made(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in ("include/rocksdb/version.h", "plugin/crivo/mine"):
                pathlib.Path(folder, path).parent.mkdir(parents=True)
                pathlib.Path(folder, path).touch()
            self.assertEqual(self.export(folder).returncode, 1)
            self.assertTrue(pathlib.Path(folder, "plugin/crivo/mine").exists())

    def test_needs_a_folder_with_rocksdb(self):
        done = self.export(self.rocksdb / "include")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no include/rocksdb/version.h", done.stderr)


if __name__ == "__main__":
    unittest.main()
