#!/usr/bin/python3
"""Installs the wheel as a user does, in a fresh environment and without a network.

usage: install_wheel.py PYTHON WHEEL_FOLDER ENVIRONMENT; ends with 77 where PYTHON has no venv and pip.
"""

import pathlib
import shutil
import subprocess
import sys


def main(python, wheels, environment):
    shutil.rmtree(environment, ignore_errors=True)
    if subprocess.run([python, "-c", "import venv, ensurepip"], check=False).returncode != 0:
        print(f"{python} lacks venv or pip: on Debian, python3-venv")
        return 77
    subprocess.run([python, "-m", "venv", environment], check=True)
    wheel, = pathlib.Path(wheels).glob("crivo-*.whl")
    # An unreachable compiler shows that none is needed, and no index that nothing is fetched.
    subprocess.run([f"{environment}/bin/pip", "--isolated", "install", "--no-index", "--disable-pip-version-check",
                    wheel], check=True, env={"PATH": "/nonexistent", "HOME": environment})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
