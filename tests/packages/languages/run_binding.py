#!/usr/bin/env python3
"""Follows docs/other_languages.md for one language: copies the folder of its example, runs the page's commands in the
copy with an installed Crivo, and compares the output with the page (tests/tool/run_pages.py).

usage: run_binding.py go|rust PREFIX SOURCES CACHE; PREFIX is absolute, and CACHE is Go's build cache. Exits with 77 and
a reason if there is no compiler.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # keeps the source tree clean
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tool"))
import run_pages  # its path was just added

# The page's section, its program, the compiler, further commands, and a program that must not compile.
LANGUAGES = {
    "go": ("Go", "main.go", "go", ["go vet ./...", "test -z \"$(gofmt -l .)\""], None),
    "rust": ("Rust", "main.rs", "rustc",
             ["rustc --edition 2021 -D warnings --test -L $(pkg-config --variable=libdir crivo-c) crivo.rs -o tests",
              "./tests --quiet"], "dangling.rs"),
}


def require(condition, message):
    if not condition:
        raise SystemExit(message)


class Reader:
    """Follows the page with Debian's compilers and an installed Crivo, in a folder with the example."""

    def __init__(self, folder, prefix, cache):
        self.folder = folder
        library = next(pathlib.Path(prefix).rglob("crivo-c.pc")).parent.parent
        self.environment = {
            "PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": folder, "PKG_CONFIG_PATH": str(library / "pkgconfig"),
            "LD_LIBRARY_PATH": str(library), "GOCACHE": cache, "GOPROXY": "off"}

    def run(self, commands, fails=False):
        done = subprocess.run(["bash", "-ec", commands], cwd=self.folder, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        require((done.returncode != 0) == fails, f"{commands}: code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr if fails else done.stdout


def blocks(section, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def main(language, prefix, sources, cache):
    title, program, compiler, checks, dangling = LANGUAGES[language]
    if not pathlib.Path("/usr/bin", compiler).exists():
        print(f"skipped: no {compiler} of Debian: ./dev test --all installs it")
        sys.exit(77)
    example = pathlib.Path(sources, "examples/bindings", language)
    page = pathlib.Path(sources, "docs/other_languages.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)[1]
    require(blocks(section, language) == [(example / program).read_text(encoding="utf-8")],
            f"the page must show {program} as it is")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(example, folder, dirs_exist_ok=True)
        reader = Reader(folder, prefix, cache)
        wrong = list(run_pages.Reader(folder, reader.environment).read(section, install=False))
        require(not wrong, f"the section on {title} must be right, got\n" + "\n".join(wrong))
        for check in checks:
            reader.run(check)
        if dangling:  # a filter that outlives its borrowed blob
            shutil.copy(pathlib.Path(__file__).with_name(dangling), folder)
            refused = reader.run(f"rustc --edition 2021 --extern crivo=libcrivo.rlib {dangling}", fails=True)
            require("error[E0597]" in refused, f"{dangling} must be refused because of its lifetime, got\n{refused}")


if __name__ == "__main__":
    main(*sys.argv[1:])
