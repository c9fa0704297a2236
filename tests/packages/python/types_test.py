#!/usr/bin/python3
"""Checks the types with mypy: types_test.py ENVIRONMENT SOURCES. Exits with 77 without mypy.

The package is checked strictly, and the stub of the compiled module is compared with the module. mypy must accept this
program with the right types, and reject each line with a wrong type.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

RIGHT = """
import array
import pathlib
import sqlite3
import crivo

words: crivo.Filter = crivo.Filter(["a", b"b", 3, 4.5], fp_rate=0.01, kind="ribbon", progress=print)
found: bool = "a" in words
answers = words.contains_many(array.array("q", [1]))
words.update(key for key in {"a": 1})
words.update(memoryview(b"ab"))
words.update((True, b"b", 1.5))
words.update([1, 2], hashed=True)
little = crivo.Filter(["a"], max_memory=2**24, temp_folder=pathlib.Path("/tmp"))
first: bool = answers[0]
both: crivo.Filter = words | words & words
both |= words
number: int = len(words) + words.facts.capacity + words.count("a")
blob: bytes = words.to_bytes("raw")
same: crivo.Filter = crivo.open("path", max_bytes=7)
share: float = words.compare(words).jaccard
crivo.load(sqlite3.connect(":memory:"))
class Mine(crivo.Filter): pass
mine: Mine = Mine(["a"]).copy()
opened: Mine = Mine.open("path")
"""
if importlib.util.find_spec("numpy"):
    RIGHT += """
import numpy
words.update(numpy.arange(3))
words.add(numpy.float32(0.5))
words.update([numpy.bool_(True)])
"""
WRONG = ["crivo.Filter(7)", 'crivo.Filter(["a"], fp_rat=1)', 'crivo.Filter(["a"], kind=7)', "words.add(None)",
         "words | {1}", 'words.to_bytes(7)', "words.facts.kinds", 'text: str = words.count("a")', "crivo.open(1.5)",
         "hash_: str = crivo.hash_key(7)", "crivo.Filter([None])", 'words.update([["a"]])', "words.contains_many([1j])",
         "words.update({b'a': 1}.items())"]


def mypy(site_packages, folder, *arguments, module="mypy"):
    environment = {**os.environ, "MYPYPATH": site_packages, "PYTHONPATH": site_packages,
                   "MYPY_CACHE_DIR": f"{folder}/cache"}
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=folder, env=environment, check=False,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main(environment, sources):
    site_packages = str(next(pathlib.Path(environment).glob("lib/python3*/site-packages")))
    if importlib.util.find_spec("mypy") is None:
        print("mypy is missing: on Debian, the package mypy")
        return 77
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        config = str(pathlib.Path(sources, "pyproject.toml"))
        checks = {"the package": mypy(site_packages, folder, "--config-file", config, "-p", "crivo"),
                  "the stub": mypy(site_packages, folder, "crivo._crivo", module="mypy.stubtest")}
        program = pathlib.Path(folder, "program.py")
        program.write_text(RIGHT, encoding="utf-8")
        checks["the right program"] = mypy(site_packages, folder, "--strict", "program.py")
        failed += [f"{name}:\n{done.stdout}" for name, done in checks.items() if done.returncode != 0]
        lines = RIGHT.count("\n")
        program.write_text(RIGHT + "\n".join(WRONG), encoding="utf-8")
        done = mypy(site_packages, folder, "--strict", "program.py")
        failed += [f"accepted: {line}" for number, line in enumerate(WRONG, lines + 1)
                   if f"program.py:{number}: error" not in done.stdout]
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
