#!/usr/bin/env python3
"""Runs the command lines of Markdown pages with the crivo tool, each page in a folder of its own.

usage: run_pages.py CRIVO FILE.md...

In a ```console block a line after "$ " is a command, and the lines that follow are what it must print; "..." stands for
any text. In a ```sh block the lines that start with "crivo " are run, and none may end in an error.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def commands_of(markdown):
    """The lines to run, as (number, command, expected output or None)."""
    commands, kind = [], None
    for number, line in enumerate(markdown.splitlines(), 1):
        if line.startswith("```"):
            kind = line[3:] if kind is None else None
        elif kind == "console" and line.startswith("$ "):
            commands.append((number, line[2:], []))
        elif kind == "console":
            commands[-1][2].append(line)
        elif kind == "sh" and line.startswith("crivo "):
            commands.append((number, line, None))
    return commands


def complaint(command, expected, folder, path):
    run = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, timeout=60,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if expected is None:
        return f"must not fail, got {run.returncode}: {run.stdout}" if run.returncode > 1 else None
    pattern = ".*".join(re.escape(part) for part in "".join(line + "\n" for line in expected).split("..."))
    return None if re.fullmatch(pattern, run.stdout) else f"must print {expected}, got {run.stdout!r}"


def main(tool, pages):
    failed = False
    for page in pages:
        commands = commands_of(pathlib.Path(page).read_text(encoding="utf-8"))
        if not commands:
            raise SystemExit(f"{page}: no command of the tool found")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
            os.symlink(tool, pathlib.Path(programs, "crivo"))
            path = programs + os.pathsep + os.environ["PATH"]
            for number, command, expected in commands:
                if wrong := complaint(command, expected, folder, path):
                    print(f"{page}:{number}: {command}: {wrong}")
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
