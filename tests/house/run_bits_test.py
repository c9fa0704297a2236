#!/usr/bin/env python3
"""Scripts must be executable, and no other file may be. usage: run_bits_test.py ROOT

Ignores compiled programs, which are not in git.
"""
import os
import pathlib
import subprocess
import sys


def known_to_git(root):
    """The files in git, or nothing without git."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {pathlib.Path(root, name) for name in listed.split("\0") if name}


def main(root):
    status = 0
    known = known_to_git(root)
    for folder, inner, files in os.walk(root):
        if folder == root:
            inner[:] = sorted({*inner} - {".git", "build"})
        for path in (pathlib.Path(folder, name) for name in files):
            with path.open("rb") as opened:
                start = opened.read(4)
            if start == b"\x7fELF" and known and path not in known:
                continue
            is_script = start.startswith(b"#!")
            if is_script != os.access(path, os.X_OK):
                print(f"{path}: {'a script must' if is_script else 'what is no script must not'} have the run bit")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
