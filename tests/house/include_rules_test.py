#!/usr/bin/env python3
"""That include_rules finds each sort of breach, and nothing in what is allowed."""
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
        for name, text in {"core/include/crivo/filter.h": "", "core/src/registry.h": "", **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(include_rules.breaches(pathlib.Path(root).resolve()))


class IncludeRules(unittest.TestCase):
    def test_accepts_public_headers_everywhere(self):
        text = '#include "crivo/filter.h"\n#include <crivo/filter.h>\n#include <vector>\n'
        for folder in ("core/src", "core/tools", "plugins/rocksdb", "sqlite_ext", "examples/x", "tests/tool"):
            self.assertEqual(findings({folder + "/a.cpp": text}), [])

    def test_accepts_the_inside_of_core_where_it_is_tested(self):
        for folder in ("core/src/kinds", "tests/unit", "tests/unit/kinds", "tests/fuzz", "tests/bench", "tests/golden"):
            self.assertEqual(findings({folder + "/a.cpp": '#include "registry.h"\n'}), [])

    def test_rejects_the_inside_of_core_elsewhere(self):
        for folder in ("core/tools", "plugins/rocksdb", "sqlite_ext", "examples", "tests/tool", "core/include/crivo"):
            for target in ("registry.h", os.path.relpath("core/src/registry.h", folder)):
                text = f'#include "{target}"\n'
                self.assertEqual(len(findings({folder + "/a.cpp": text})), 1, (folder, target))

    def test_rejects_one_host_in_another(self):
        host = {"plugins/rocksdb/policy.h": "", "plugins/rocksdb/include/crivo/rocksdb.h": "", "sqlite_ext/boundary.h": ""}
        for name, target in (
            ("sqlite_ext/a.cpp", "policy.h"),
            ("sqlite_ext/a.cpp", "crivo/rocksdb.h"),
            ("core/tools/a.cpp", "crivo/rocksdb.h"),
            ("core/tools/a.cpp", "boundary.h"),
            ("plugins/rocksdb/a.cpp", "boundary.h"),
        ):
            self.assertEqual(len(findings({**host, name: f'#include "{target}"\n'})), 1, (name, target))
        self.assertEqual(findings({**host, "examples/a.cpp": '#include "crivo/rocksdb.h"\n'}), [])

    def test_rejects_a_public_header_that_does_not_exist(self):
        self.assertEqual(len(findings({"sqlite_ext/a.cpp": '#include "crivo/secret.h"\n'})), 1)

    def test_rejects_what_belongs_in_one_place(self):
        for line, place in (
            ("#include <zstd.h>", "core/src/blob.cpp"),
            ("#include <xxhash.h>", "core/src/hash_inline.h"),
            ("SQLITE_EXTENSION_INIT1", "sqlite_ext/entry.cpp"),
            ('if (__builtin_cpu_supports("avx2"))', "core/src/simd/dispatch.cpp"),
        ):
            self.assertEqual(findings({place: line}), [])
            self.assertEqual(findings({"tests/unit/a.cpp": line}), [])
            for elsewhere in ("core/src/other.cpp", "core/tools/a.cpp", "plugins/rocksdb/a.cpp", "sqlite_ext/a.cpp"):
                self.assertEqual(len(findings({elsewhere: line})), 1, (line, elsewhere))


if __name__ == "__main__":
    unittest.main()
