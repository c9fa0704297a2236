#!/usr/bin/python3
"""Runs a client of examples/sqlite_clients by the command in its first comment, with this crivo.so instead of the
installed one. All clients must print the same output.

usage: run_client.py FILE CRIVO_SO [PACKAGE...]; a failure names the missing Debian packages among these.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INSTALLED = "/usr/local/lib/crivo/crivo.so"
PRINTED = "filter|1|0\ntable|1|0\n"


def command_of(path):
    """The command in the first comment: the text after the first two spaces or the tab."""
    head = path.read_text(encoding="utf-8").split("\n\n")[0]
    found = re.search(rf"(?:  |\t)(\S.*\b{re.escape(path.name)}.*?)(?: \*/)?$", head, re.MULTILINE)
    if not found:
        raise SystemExit(f"{path}: the first comment must say how to run the file")
    return found[1]


def missing(packages):
    """The packages that are not installed; none without dpkg."""
    if shutil.which("dpkg-query") is None:
        return []
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}"]
    return [package for package in packages
            if subprocess.run([*query, package], capture_output=True, text=True, check=False).stdout != "installed"]


def main(file, extension, *packages):
    path = pathlib.Path(file).resolve()
    command = command_of(path).replace(INSTALLED, str(pathlib.Path(extension).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, folder)
        # Debian's programs, even if others are installed.
        programs = os.environ.get("DEBIAN_NODE", "") + ":/usr/sbin:/usr/bin:/sbin:/bin"
        environment = {**os.environ, "PATH": programs, "HOME": folder}
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0 and done.stdout == PRINTED:
        return 0
    print(f"{command}\n{done.stdout}{done.stderr}\nmust print\n{PRINTED}")
    if lacking := missing(packages):
        print("not installed:", *lacking)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
