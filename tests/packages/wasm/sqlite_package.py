#!/usr/bin/env python3
"""Tests of npm's package of SQLite with the extension. Each test installs the packed file in an empty folder.

usage: sqlite_package.py TEST FOLDER TOOLS SOURCES EXTENSION; FOLDER has the packed file, TOOLS is the output of
tests/packages/npm/node_tools, and EXTENSION is crivo.so. Exits with 77 and a reason if something that the test needs is
missing.
"""
import json
import pathlib
import re
import sqlite3
import sys
import tempfile

import browser
import wasm_package
from npm_package import need, require

PAGE = """<script type="importmap">
{ "imports": { "crivo-sqlite-wasm": "%s" } }
</script>
<script type="module">
const said = [];
console.log = (each) => said.push(each);
%s
await fetch(`result?${encodeURIComponent(JSON.stringify(said))}`);
</script>
"""
QUESTION = """WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
    SELECT hex(bloom_compress(bloom_agg(n, NULL, 0.01, %r))) FROM numbers"""


class Setting(wasm_package.Setting):
    module = "crivo-sqlite-wasm"
    page = "sqlite_ext/wasm/README.md"
    packed = "crivo-sqlite-wasm-*.tgz"
    types = "sqlite_types.mts"


def answers_in_node(setting, extension):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension.removesuffix(".so"))
    for kind in "blocked", "ribbon":
        bytes_of, = db.execute(QUESTION % kind).fetchone()
        (setting.folder / "expected").write_text(bytes_of, encoding="utf-8")
        wasm_package.run_program(setting, "sqlite.mjs", setting.sources / "tests/golden/blobs", QUESTION % kind)


def has_the_types_that_typescript_expects(setting, _):
    wasm_package.has_the_types_that_typescript_expects(setting)


def runs_every_example(setting, _):
    wasm_package.runs_every_example(setting)


def answers_in_chromium(setting, _):
    setting.install()
    text = (setting.sources / setting.page).read_text(encoding="utf-8")
    example, = re.findall(r"^```js\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    expected, = re.findall(r"console\.log\(.*\); // (.*)$", example, re.MULTILINE)
    named, = re.findall(r"an import map names\s+`(.*?)`", text)
    (setting.folder / "index.html").write_text(PAGE % (named, example), encoding="utf-8")
    said = browser.answers_in_chromium(setting.folder)
    require(said == [json.loads(expected)], f"the example must say {expected}, got {said}")


TESTS = {"AnswersInNode": answers_in_node, "RunsEveryExample": runs_every_example,
         "AnswersInChromium": answers_in_chromium,
         "HasTheTypesThatTypescriptExpects": has_the_types_that_typescript_expects}


def main(test, packages, tools, sources, extension):
    need("node", "npm", "chromium")
    with tempfile.TemporaryDirectory() as folder:
        TESTS[test](Setting(packages, tools, sources, folder), str(pathlib.Path(extension).resolve()))


if __name__ == "__main__":
    main(*sys.argv[1:])
