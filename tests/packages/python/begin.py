#!/usr/bin/python3
"""Follows docs/python.md from the install line, in a new environment, in a folder with the wheel.

usage: begin.py PYTHON WHEEL_FOLDER CRIVO SOURCES; exits with 77 if PYTHON lacks venv or pip.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main(python, wheels, tool, sources):
    if subprocess.run([python, "-c", "import venv, ensurepip"], check=False).returncode != 0:
        print(f"skipped: {python} lacks venv or pip: on Debian, python3-venv")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = pathlib.Path(folder, "environment")
        subprocess.run([python, "-m", "venv", environment], check=True)
        wheel, = pathlib.Path(wheels).glob("crivo-*.whl")
        shutil.copy(wheel, folder)
        # Without an index, pip can install only the wheel.
        variables = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                     "PATH": f"{environment}/bin:{os.environ['PATH']}"}
        return subprocess.run([sys.executable, pathlib.Path(sources, "tests/tool/run_pages.py"), "--install", folder,
                               tool, pathlib.Path(sources, "docs/python.md")], env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
