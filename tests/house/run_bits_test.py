#!/usr/bin/env python3
"""Every script can be run by its name, and nothing else has the run bit, but programs that were compiled here as a page
says. usage: run_bits_test.py ROOT"""
import os
import pathlib
import sys


def main(root):
    status = 0
    for folder, inner, files in os.walk(root):
        if folder == root:
            inner[:] = sorted({*inner} - {".git", "build"})
        for path in (pathlib.Path(folder, name) for name in files):
            with path.open("rb") as opened:
                start = opened.read(4)
            is_script = start.startswith(b"#!")
            if start != b"\x7fELF" and is_script != os.access(path, os.X_OK):
                print(f"{path}: {'a script must' if is_script else 'what is no script must not'} have the run bit")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
