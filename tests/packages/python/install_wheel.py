#!/usr/bin/python3
"""Installs the wheel or the sdist as a user does, in a new environment and without a network.

usage: install_wheel.py PYTHON FOLDER ENVIRONMENT [SUFFIX]; the package in FOLDER has SUFFIX, .whl or .tar.gz. Exits
with 77 if PYTHON lacks venv or pip.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile


def main(python, folder, environment, suffix=".whl"):
    shutil.rmtree(environment, ignore_errors=True)
    if subprocess.run([python, "-c", "import venv, ensurepip"], check=False).returncode != 0:
        print(f"{python} lacks venv or pip: on Debian, python3-venv")
        return 77
    subprocess.run([python, "-m", "venv", environment], check=True)
    package, = pathlib.Path(folder).glob(f"crivo-*{suffix}")
    pip = [f"{environment}/bin/pip", "--isolated", "install", "--no-index", "--disable-pip-version-check", package]
    # Without a compiler in PATH and without an index: the wheel must not compile or fetch anything.
    without_compiler = {"PATH": "/nonexistent", "HOME": environment}
    if suffix == ".whl":
        subprocess.run(pip, check=True, env=without_compiler)
    else:
        refused = subprocess.run(pip, check=False, stderr=subprocess.PIPE, env=without_compiler, text=True)
        assert refused.returncode != 0 and "cmake is missing" in refused.stderr, refused.stderr
        subprocess.run(pip, check=True, env={"PATH": os.environ["PATH"], "HOME": environment})
        wheel, = pathlib.Path(folder).glob("crivo-*.whl")
        installed, = pathlib.Path(environment).glob("lib/python*/site-packages")
        missing = [each for each in zipfile.ZipFile(wheel).namelist() if not (installed / each).exists()]
        assert not missing, f"the wheel has them, and what was compiled lacks {missing}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
