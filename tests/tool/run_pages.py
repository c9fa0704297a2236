#!/usr/bin/env python3
"""Runs the command lines of Markdown pages, each page in its own folder.

usage: run_pages.py [--install FOLDER] PREFIX|CRIVO FILE.md...

A block whose first line is a comment with a file's name is saved under this name: `// names.cpp: what it is`. In a
```console block, a line after "$ " is a command, and the lines after it are the expected output; "..." matches any
text. In a ```sh block, the lines that start with "crivo " are run, and none may fail.

PREFIX is a prefix of `./dev install`, or CRIVO is the tool. With --install, each page runs in FOLDER, which has the
packages, after the last line of its first block, which installs them. If a page leaves a file names.crivo, it must have
the bytes that the tool writes for the same names, in any form.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE_NAME = re.compile(r"(?://|#|--|/\*|<!--) ([\w.]+\.\w+)(?::|$)")
SAME_NAMES = """
printf '%s\\n' ada grace alan >names
for form in --compress --mappable --raw; do
  crivo build -q $form -o same.crivo names && cmp -s same.crivo names.crivo && exit
done
crivo info names.crivo; exit 1"""


def blocks_of(markdown):
    """Returns the code blocks as (number of the first line, language, lines)."""
    blocks, inside = [], False
    for number, line in enumerate(markdown.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                blocks.append((number + 1, line[3:], []))
        elif inside:
            blocks[-1][2].append(line)
    return blocks


def commands_of(block):
    """Returns the lines to run as (number, command, expected output or None)."""
    first, kind, lines = block
    commands = []
    for number, line in enumerate(lines, first):
        if kind == "console" and line.startswith("$ "):
            commands.append((number, line[2:], []))
        elif kind == "console":
            commands[-1][2].append(line)
        elif kind == "sh" and line.startswith("crivo "):
            commands.append((number, line, None))
    return commands


class Reader:
    """Follows the instructions of a page in a folder, with these environment variables."""

    def __init__(self, folder, environment):
        self.folder, self.environment = pathlib.Path(folder), environment

    def run(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def complaint(self, command, expected):
        run = self.run(command)
        if expected is None:
            return f"must not fail, got {run.returncode}: {run.stdout}" if run.returncode > 1 else None
        pattern = ".*".join(re.escape(part) for part in "".join(line + "\n" for line in expected).split("..."))
        return None if re.fullmatch(pattern, run.stdout) else f"must print {expected}, got {run.stdout!r}"

    def install(self, line):
        """Returns the error of a page's install line, or None."""
        run = self.run(line)
        return f"must install, got {run.returncode}: {run.stdout}" if run.returncode else None

    def read(self, markdown, install):
        """Yields the errors of a page with their lines."""
        ran = 0
        blocks = blocks_of(markdown)
        if install and (wrong := self.install(blocks[0][2][-1])):
            yield f"{blocks[0][0]}: {wrong}"
        for block in blocks:
            if block[1] != "console" and block[2] and (name := FILE_NAME.match(block[2][0])):
                (self.folder / name[1]).write_text("\n".join(block[2]) + "\n", encoding="utf-8")
            for number, command, expected in commands_of(block):
                ran += 1
                if wrong := self.complaint(command, expected):
                    yield f"{number}: {command}: {wrong}"
        if ran == 0:
            yield "1: no command found"
        if (self.folder / "names.crivo").exists() and (same := self.run(SAME_NAMES)).returncode:
            yield f"1: names.crivo must have the bytes that the tool writes, got {same.stdout}"


def environment_of(installed, programs):
    """The environment for the installed files. `programs` is a folder for a link to the tool."""
    if not installed.is_dir():
        os.symlink(installed, pathlib.Path(programs, "crivo"))
        return {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]}
    library = next(installed.glob("lib*/**/pkgconfig")).parent
    return {**os.environ, "PATH": f"{installed}/bin{os.pathsep}{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": f"{library}:{library}/crivo"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--install")
    parser.add_argument("installed", type=pathlib.Path)
    parser.add_argument("pages", nargs="+")
    given = parser.parse_args()
    failed = False
    for page in given.pages:
        markdown = pathlib.Path(page).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
            reader = Reader(given.install or folder, environment_of(given.installed, programs))
            for wrong in reader.read(markdown, given.install):
                print(f"{page}:{wrong}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
