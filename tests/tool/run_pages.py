#!/usr/bin/env python3
"""Runs the command lines of Markdown pages, each page in a folder of its own.

usage: run_pages.py PREFIX|CRIVO FILE.md...

A block whose first line is a comment with a file's name is saved under this name: `// names.cpp: what it is`. In a
```console block a line after "$ " is a command, and the lines that follow are what it must print; "..." stands for any
text. In a ```sh block the lines that start with "crivo " are run, and none may end in an error. The first argument is
the crivo tool, or a prefix into which all was installed. A file names.crivo that a page leaves must have the same bytes
from each of them.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE_NAME = re.compile(r"(?://|#|--|/\*) ([\w.]+\.\w+)(?::|$)")


def blocks_of(markdown):
    """The blocks of code, as (number of the first line, language, lines)."""
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
    """The lines to run, as (number, command, expected output or None)."""
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


def complaint(command, expected, folder, environment):
    run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=60, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if expected is None:
        return f"must not fail, got {run.returncode}: {run.stdout}" if run.returncode > 1 else None
    pattern = ".*".join(re.escape(part) for part in "".join(line + "\n" for line in expected).split("..."))
    return None if re.fullmatch(pattern, run.stdout) else f"must print {expected}, got {run.stdout!r}"


def complaints_of(markdown, folder, environment):
    """What is wrong with a page, by line."""
    ran = 0
    for block in blocks_of(markdown):
        if block[1] != "console" and block[2] and (name := FILE_NAME.match(block[2][0])):
            pathlib.Path(folder, name[1]).write_text("\n".join(block[2]) + "\n", encoding="utf-8")
        for number, command, expected in commands_of(block):
            ran += 1
            if wrong := complaint(command, expected, folder, environment):
                yield f"{number}: {command}: {wrong}"
    if ran == 0:
        yield "1: no command found"


def environment_of(installed, programs):
    """The environment in which the installed things are found; `programs` is a folder for a link to the tool."""
    if not installed.is_dir():
        os.symlink(installed, pathlib.Path(programs, "crivo"))
        return {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]}
    library = next(installed.glob("lib*/**/pkgconfig")).parent
    return {**os.environ, "PATH": f"{installed}/bin{os.pathsep}{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": f"{library}:{library}/crivo"}


def main(installed, pages):
    installed, failed, left = pathlib.Path(installed), False, {}
    for page in pages:
        markdown = pathlib.Path(page).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
            for wrong in complaints_of(markdown, folder, environment_of(installed, programs)):
                print(f"{page}:{wrong}")
                failed = True
            filter_file = pathlib.Path(folder, "names.crivo")
            if filter_file.exists():
                left.setdefault(filter_file.read_bytes(), []).append(page)
    if len(left) > 1:
        print(f"names.crivo must have the same bytes from each page, got {list(left.values())}")
    return 1 if failed or len(left) > 1 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
