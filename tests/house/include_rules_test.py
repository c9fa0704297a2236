#!/usr/bin/env python3
"""Tests that include_rules finds each kind of violation, and accepts all that is allowed."""
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("include_rules", str(pathlib.Path(__file__).with_name("include_rules")))
include_rules = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(include_rules)


def findings(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {"core/include/crivo/filter.h": "", "core/src/kinds/registry.h": "", **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(include_rules.breaches(pathlib.Path(root).resolve()))


class IncludeRules(unittest.TestCase):
    def test_accepts_public_headers_everywhere(self):
        text = '#include "crivo/filter.h"\n#include <crivo/filter.h>\n#include <vector>\n'
        for folder in ("core/src/format", "core/tools", "plugins/rocksdb/policy", "sqlite_ext/values", "examples/x", "tests/tool"):
            self.assertEqual(findings({folder + "/a.cpp": text}), [])

    def test_accepts_the_inside_of_core_where_it_is_tested(self):
        for folder in ("core/src/format", "tests/unit", "tests/unit/kinds", "tests/fuzz", "tests/bench", "tests/golden"):
            self.assertEqual(findings({folder + "/a.cpp": '#include "kinds/registry.h"\n'}), [])

    def test_rejects_the_inside_of_core_elsewhere(self):
        for folder in ("core/tools", "plugins/rocksdb/policy", "sqlite_ext/values", "examples", "tests/tool", "core/include/crivo"):
            for target in ("kinds/registry.h", os.path.relpath("core/src/kinds/registry.h", folder)):
                text = f'#include "{target}"\n'
                self.assertEqual(len(findings({folder + "/a.cpp": text})), 1, (folder, target))

    def test_rejects_one_host_in_another(self):
        host = {"plugins/rocksdb/policy/policy.h": "", "plugins/rocksdb/include/crivo/rocksdb.h": "", "sqlite_ext/values/boundary.h": ""}
        for name, target in (
            ("sqlite_ext/values/a.cpp", "policy/policy.h"),
            ("sqlite_ext/values/a.cpp", "crivo/rocksdb.h"),
            ("core/tools/a.cpp", "crivo/rocksdb.h"),
            ("core/tools/a.cpp", "values/boundary.h"),
            ("plugins/rocksdb/policy/a.cpp", "values/boundary.h"),
        ):
            self.assertEqual(len(findings({**host, name: f'#include "{target}"\n'})), 1, (name, target))
        self.assertEqual(findings({**host, "examples/a.cpp": '#include "crivo/rocksdb.h"\n'}), [])

    def test_rejects_a_public_header_that_does_not_exist(self):
        self.assertEqual(len(findings({"sqlite_ext/values/a.cpp": '#include "crivo/secret.h"\n'})), 1)

    def test_rejects_what_belongs_in_one_place(self):
        for line, place in (
            ("#include <zstd.h>", "core/src/format/codec_zstd.cpp"),
            ("#include <xxhash.h>", "core/src/hash/xxh3_inline.h"),
            ("SQLITE_EXTENSION_INIT1", "sqlite_ext/entry.cpp"),
            ('if (__builtin_cpu_supports("avx2"))', "core/src/kinds/isa.cpp"),
        ):
            self.assertEqual(findings({place: line}), [])
            self.assertEqual(findings({"tests/unit/a.cpp": line}), [])
            for elsewhere in ("core/src/base/other.cpp", "core/tools/a.cpp", "plugins/rocksdb/policy/a.cpp", "sqlite_ext/values/a.cpp"):
                self.assertEqual(len(findings({elsewhere: line})), 1, (line, elsewhere))

    def test_rejects_functions_that_differ_between_processors(self):
        for call in ("std::log(x)", "std::expm1(x)", "std::pow(x, y)", "lgamma_r(x, &sign)"):
            self.assertEqual(len(findings({"core/src/filter/a.cpp": f"double y = {call};\n"})), 1, call)
            self.assertEqual(findings({"tests/unit/a.cpp": f"double y = {call};\n"}), [])
        self.assertEqual(findings({"core/src/filter/a.cpp": "double y = portable::log(std::sqrt(x));\n"}), [])

    def test_rejects_an_include_of_a_later_room(self):
        for house, lines in include_rules.ROOMS.items():
            rooms = [(i, room) for i, line in enumerate(lines) for room in line.split() if "." not in room]
            for i, room in rooms:
                for j, other in rooms:
                    if room == other:
                        continue
                    target = f"{house}/{other}/b.h".removeprefix("core/src/") if house.startswith("core/src") else f"{other}/b.h"
                    inner = "bloom" if f"{house}/{room}" in include_rules.ROOMS else "inner"
                    names = ("a.cpp", "a.h", "a.inl.h", f"{inner}/a.inc")  # both files are in adjacent layers
                    for name in names if j == i + 1 else names[:1]:
                        files = {f"{house}/{other}/b.h": "", f"{house}/{room}/{name}": f'#include "{target}"\n'}
                        self.assertEqual(len(findings(files)), 1 if j >= i else 0, (room, other, name))

    def test_rejects_the_files_of_sqlite_where_they_are_above(self):
        for name, target, breaches in (
            ("functions/a.cpp", "functions.h", 0), ("table/a.cpp", "functions.h", 0), ("entry.cpp", "functions.h", 0),
            ("values/a.cpp", "functions.h", 1), ("functions.h", "table/a.h", 1), ("table/a.cpp", "entry.cpp", 1),
        ):
            files = {f"sqlite_ext/{target}": "", f"sqlite_ext/{name}": f'#include "{target}"\n'}
            self.assertEqual(len(findings(files)), breaches, (name, target))

    def test_knows_the_room_of_a_public_header(self):
        files = {"core/include/crivo/blob.h": "", "core/src/format/blob.cpp": '#include "crivo/blob.h"\n'}
        self.assertEqual(findings(files), [])
        self.assertEqual(len(findings({**files, "core/src/kinds/a.cpp": '#include "crivo/blob.h"\n'})), 1)

    def test_rejects_files_outside_the_rooms(self):
        for house, rooms in include_rules.ROOMS.items():
            self.assertEqual(len(findings({f"{house}/a.cpp": ""})), 0 if "." in rooms else 1)
            self.assertEqual(len(findings({f"{house}/attic/a.cpp": ""})), 1)

    def test_rejects_cycles_of_components(self):
        files = {"core/src/kinds/a.h": "", "core/src/kinds/a.cpp": '#include "kinds/b.h"\n',
                 "core/src/kinds/b.h": '#include "kinds/c.h"\n'}
        self.assertEqual(findings({**files, "core/src/kinds/c.h": ""}), [])
        found = findings({**files, "core/src/kinds/c.h": '#include "kinds/a.h"\n'})
        self.assertEqual(len(found), 1)
        self.assertIn("kinds/a -> kinds/b -> kinds/c -> kinds/a", found[0])

    def test_rejects_cycles_that_headers_of_the_core_close(self):
        files = {"core/include/crivo/a.h": "", "core/src/filter/a.cpp": '#include "crivo/host/b.h"\n',
                 "core/internal/crivo/host/b.h": "", "core/src/filter/b.cpp": ""}
        self.assertEqual(findings(files), [])
        found = findings({**files, "core/internal/crivo/host/b.h": '#include "crivo/a.h"\n'})
        self.assertEqual(len(found), 1)
        self.assertIn("filter/a -> filter/b -> filter/a", found[0])

    def test_rejects_cycles_of_folders(self):
        files = {"core/src/hash/a.h": "", "core/src/hash/b.cpp": '#include "hash/inner/d.h"\n',
                 "core/src/hash/inner/c.cpp": '#include "hash/a.h"\n'}
        self.assertIn("cycle of folders", findings({**files, "core/src/hash/inner/d.h": ""})[0])


if __name__ == "__main__":
    unittest.main()
