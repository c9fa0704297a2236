#!/usr/bin/python3
"""Packs the wheel and the sdist, with only Python's standard library: pack_wheel.py BUILD_FOLDER FOLDER.

The build folder has _crivo.abi3.so and crivo.so (targets crivo_python and crivo_sqlite). This file is also the build
backend (PEP 517) for installing the sdist and for `pip install ./core/python`, which compile both files first.

The formats: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
and https://packaging.python.org/en/latest/specifications/source-distribution-format/
"""

import base64
import gzip
import hashlib
import io
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAME = "crivo"
MODULES = ["_crivo.abi3.so", "crivo.so"]
LICENCES = [ROOT / "LICENSE", ROOT / "packaging/THIRD_PARTY.txt"]  # of Crivo, and of linked libraries


def version():
    return re.search(r"project\(crivo VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def machine_of(module):
    """The machine for which a module was compiled: aarch64 if the ELF header says so, otherwise this machine."""
    header = subprocess.run(["readelf", "--file-header", module], check=True, stdout=subprocess.PIPE, text=True).stdout
    return "aarch64" if re.search("Machine: +AArch64", header) else platform.machine()


def manylinux(modules):
    """manylinux_2_NN_ARCH, where 2.NN is the oldest glibc with all symbols that the modules need (PEP 600)."""
    asked = subprocess.run([sys.executable, ROOT / "packaging/needed_glibc", *modules], check=False,
                           stdout=subprocess.PIPE, text=True)
    if asked.returncode != 0:
        sys.exit(1)  # the program has printed the reason
    return f"manylinux_{asked.stdout.strip().replace('.', '_')}_{machine_of(modules[0])}"


def metadata():
    described = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    licences = "".join(f"License-File: {licence.name}\n" for licence in LICENCES)
    return f"""Metadata-Version: 2.4
Name: {NAME}
Version: {version()}
Summary: Bloom filters and related filters, for Python and for SQL in SQLite
Keywords: bloom filter,cuckoo filter,ribbon filter,membership,probabilistic,sqlite
Author-email: The Crivo developers <crivo@crivo.example>
License-Expression: Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause
{licences}\
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Typing :: Typed
Requires-Python: >=3.11
Description-Content-Type: text/markdown

{described}"""


def strip(module, copy):
    """Copies a module without the symbols that only a debugger needs."""
    machine = machine_of(module)
    program = "strip" if machine == platform.machine() else f"{machine}-linux-gnu-strip"
    subprocess.run([program, "--strip-unneeded", "-o", copy, module], check=True)


def python_files():
    return [path for path in sorted((HERE / NAME).iterdir())
            if path.suffix in (".py", ".pyi") or path.name == "py.typed"]


def contents(build, tag):
    """Yields the path and the bytes of each file except RECORD."""
    for source in python_files():
        yield f"{NAME}/{source.name}", source.read_bytes()
    info = f"{NAME}-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, NAME).mkdir()
        for module in MODULES:
            copy = pathlib.Path(folder, NAME, module)
            strip(build / module, copy)
            yield f"{NAME}/{module}", copy.read_bytes()
        sbom = [ROOT / "packaging/sbom", f"pkg:pypi/{NAME}", version(), folder]
        yield f"{info}/sboms/{NAME}.spdx.json", subprocess.run(sbom, check=True, stdout=subprocess.PIPE).stdout
    for licence in LICENCES:
        yield f"{info}/licenses/{licence.name}", licence.read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: crivo\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())


def record_line(path, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


def write(archive, path, content):
    """Writes an entry with a constant date, so that the same bytes always give the same archive."""
    entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
    archive.writestr(entry, content)


def pack(build, folder, system):
    """Writes the wheel for a system, named as in the tag, and returns its path. Removes other wheels of the folder."""
    build, folder = pathlib.Path(build), pathlib.Path(folder)
    tag = f"cp311-abi3-{system}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{NAME}-*.whl"):
        old.unlink()
    wheel = folder / f"{NAME}-{version()}-{tag}.whl"
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = ""
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in contents(build, tag):
            lines += record_line(path, content)
            write(archive, path, content)
        write(archive, record, f"{lines}{record},,\n".encode())
    return wheel


SOURCES = ("CMakeLists.txt", "CMakePresets.json", "CHANGELOG.md", "LICENSE", "docs/python.md",
           "cmake/CrivoTargets.cmake", "cmake/older_glibc.cpp",
           "packaging/sbom", "packaging/source_date", "packaging/THIRD_PARTY.txt",
           "core/CMakeLists.txt", "core/include/**/*.h", "core/internal/**/*.h", "core/src/**/*.h", "core/src/**/*.cpp",
           "core/c/CMakeLists.txt", "core/c/*/*.h", "core/c/*/*.cpp",
           "core/python/*.*", "core/python/crivo/*.py*", "core/python/crivo/py.typed",
           "core/python/src/*.h", "core/python/src/*.cpp",
           "sqlite_ext/CMakeLists.txt", "sqlite_ext/exports.map", "sqlite_ext/**/*.h", "sqlite_ext/**/*.cpp")


def sources():
    """Yields the path, the bytes and the mode of each file of the sdist."""
    backend = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    yield "pyproject.toml", backend.replace('["."]', '["core/python"]').encode(), 0o644
    yield "PKG-INFO", metadata().encode(), 0o644
    for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern)):
        yield path.relative_to(ROOT), path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644


# The build backend, for pip.
NEEDED = "g++ cmake ninja-build pkg-config libsqlite3-dev libxxhash-dev libzstd-dev libpython3-dev"


def run(*command):
    if not shutil.which(command[0]) or subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit(f"crivo: cannot be compiled here: {command[0]} is missing, or has failed as it says above. "
                 f"Compiling needs, as Debian calls them: {NEEDED}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = ROOT / "build/pip"
    left_out = [f"-DCRIVO_{part}=OFF" for part in ("ROCKSDB", "TOOL", "SHARED", "INSTALL")]
    run("cmake", "--preset", "package", "-B", build, "-DCRIVO_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
        *left_out)
    run("cmake", "--build", build, "--target", "crivo_python", "crivo_sqlite")
    this_system = re.sub("[-.]", "_", sysconfig.get_platform())
    return pack(build, wheel_directory, this_system).name


def build_sdist(sdist_directory, config_settings=None):
    """Packs what build_wheel reads. The same sources always give the same archive."""
    sdist = pathlib.Path(sdist_directory, f"{NAME}-{version()}.tar.gz")
    date = int(subprocess.run([ROOT / "packaging/source_date"], check=True, stdout=subprocess.PIPE).stdout)
    with gzip.GzipFile(sdist, "wb", mtime=0) as compressed, tarfile.open(fileobj=compressed, mode="w") as archive:
        for path, content, mode in sources():
            entry = tarfile.TarInfo(f"{NAME}-{version()}/{path}")
            entry.size, entry.mode, entry.mtime = len(content), mode, date
            archive.addfile(entry, io.BytesIO(content))
    return sdist.name


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: pack_wheel.py BUILD_FOLDER FOLDER")
    everywhere = manylinux([pathlib.Path(sys.argv[1], module) for module in MODULES])
    print(pack(*sys.argv[1:], everywhere), pathlib.Path(sys.argv[2], build_sdist(sys.argv[2])))
