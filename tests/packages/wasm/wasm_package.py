#!/usr/bin/env python3
"""Tests of npm's package for browsers. Each test installs the packed file in an empty folder.

usage: wasm_package.py TEST FOLDER TOOLS SOURCES BUILD [PACKAGE]; PACKAGE is crivo-wasm, or crivo, which has the same
class Filter. FOLDER has the packed file, TOOLS is the output of tests/packages/npm/node_tools, and BUILD is CMake's
folder. Exits with 77 and a reason if something that the test needs is missing.
"""
import contextlib
import gzip
import json
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "npm"))
import npm_package  # noqa: E402, its place is known only now
from npm_package import need, require, skip  # noqa: E402

CODE = {"crivo.wasm", "index.js", "node.js", "filter.js", "keys.js", "buffer.js", "sketch.js", "start.js"}
PACKED = CODE | {"package.json", "README.md", "LICENSE", "THIRD_PARTY.txt", "sbom.spdx.json", "index.d.ts"}
MOST_BYTES = 157_000
README = "core/wasm/README.md"


class Setting(npm_package.Setting):
    module = "crivo-wasm"
    page = README
    packed = "crivo-wasm-*.tgz"
    types = "types.mts"


class NodeSetting(npm_package.Setting):
    module = "crivo"

    def run(self, *command, **options):
        """Limits the addresses to 16 GB, so that memory can be exhausted in Node too."""
        return super().run("prlimit", "--as=16000000000", *command, **options)


@contextlib.contextmanager
def installed(packages, tools, sources):
    """The environment of a test in a browser: a temporary folder with the installed package."""
    need("node", "npm", "chromium")
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(packages, tools, sources, folder)
        setting.install()
        yield setting


def run_program(setting, name, *arguments):
    setting.install()
    text = (HERE / name).read_text(encoding="utf-8").replace('"crivo-wasm"', f'"{setting.module}"')
    (setting.folder / name).write_text(text, encoding="utf-8")
    setting.run("node", name, *arguments)


def holds_what_it_needs_and_is_small(setting, build):
    with tarfile.open(setting.tarball) as packed:
        files = {each.name.removeprefix("package/"): packed.extractfile(each).read() for each in packed}
    require(files.keys() == PACKED, f"packed must be {sorted(PACKED)}, got {sorted(files)}")
    sizes = {name: len(gzip.compress(files[name], 9)) for name in CODE}
    require(sum(sizes.values()) <= MOST_BYTES, f"gzipped, it must take at most {MOST_BYTES} bytes, got {sizes}")
    print(sum(sizes.values()), "bytes gzipped:", sizes)
    listed = [part["name"] for part in json.loads(files["sbom.spdx.json"])["packages"]]
    parts = ["crivo-wasm", "xxHash", "zstd", "Emscripten"]
    require(listed == parts, f"sbom.spdx.json must list {parts}, got {listed}")


def questions(crivo, blobs):
    """The keys of filters of the kind range, the values of maps, and Python's answers for absent keys."""
    asked = {"range": {}, "values": {}, "absent": {}}
    for blob in blobs.iterdir():
        if blob.suffix == ".sst":
            continue
        family = blob.name[:blob.name.index(".")]
        filter_ = crivo.Filter.from_bytes(blob.read_bytes())
        kind, count = family.split("-")
        if kind == "map":  # golden maps store a part of each key's hash
            hashes = (crivo.hash_key(f"present-{i}", filter_.facts.seed) for i in range(int(count)))
            asked["values"][family] = [each >> 7 & 31 for each in hashes]
        absent = [f"absent-{i}" for i in range(1000)]
        if kind == "range":  # golden range filters store hashes of these words, as numbers
            numbers = {word: [crivo.hash_key(f"{word}-{i}", filter_.facts.seed) - 2**63 for i in range(size)]
                       for word, size in (("present", int(count)), ("absent", 1000))}
            asked["range"][family] = {word: [str(number) for number in each] for word, each in numbers.items()}
            absent = numbers["absent"]
        asked["absent"][blob.name] = "".join(str(int(each)) for each in filter_.contains_many(absent))
    return asked


def reads_golden_blobs_and_writes_their_bytes(setting, build):
    wheels = list((build / "tests/packages/python/wheels").glob("crivo-*.whl"))
    if not wheels:
        skip("no wheel: it is made with -D CRIVO_PYTHON=ON, which ./dev test --all sets")
    zipfile.ZipFile(wheels[0]).extractall(setting.folder)
    sys.path.insert(0, str(setting.folder))
    import crivo  # the wheel's module
    blobs = setting.sources / "tests/golden/blobs"
    (setting.folder / "questions.json").write_text(json.dumps(questions(crivo, blobs)), encoding="utf-8")
    run_program(setting, "golden.mjs", blobs)


def refuses_hostile_bytes(setting, build):
    golden = setting.sources / "tests/golden"
    run_program(setting, "hostile.mjs", golden / "hostile", golden / "blobs")


def does_what_its_types_promise(setting, build):
    run_program(setting, "interface.mjs")


def has_the_types_that_typescript_expects(setting, build=None):
    compiler = setting.tools / "current/node_modules/typescript/bin/tsc"
    node = setting.current_node()
    setting.install()
    shutil.copy(HERE / setting.types, setting.folder)
    for module in "nodenext", "preserve":
        setting.run(node, compiler, "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--module",
                    module, setting.types)


def runs_every_example(setting, build=None):
    setting.install()
    text = (setting.sources / setting.page).read_text(encoding="utf-8")
    for number, block in enumerate(re.findall(r"^```js\n(.*?)^```$", text, re.DOTALL | re.MULTILINE), 1):
        (setting.folder / "example.mjs").write_text(block, encoding="utf-8")
        printed = setting.run("node", "example.mjs")
        expected = "".join(f"{each}\n" for each in re.findall(r"console\.log\(.*\); // (.*)$", block, re.MULTILINE))
        require(expected and printed == expected, f"example {number} must print\n{expected}got\n{printed}")


TESTS = {"".join(word.capitalize() for word in test.__name__.split("_")): test for test in (
    holds_what_it_needs_and_is_small, reads_golden_blobs_and_writes_their_bytes, refuses_hostile_bytes,
    does_what_its_types_promise, has_the_types_that_typescript_expects, runs_every_example)}


def main(test, packages, tools, sources, build, package="crivo-wasm"):
    need("node", "npm")
    with tempfile.TemporaryDirectory() as folder:
        chosen = NodeSetting if package == "crivo" else Setting
        TESTS[test](chosen(packages, tools, sources, folder), pathlib.Path(build))


if __name__ == "__main__":
    main(*sys.argv[1:])
