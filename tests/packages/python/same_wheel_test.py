#!/usr/bin/python3
"""The same modules give the same wheel, byte for byte. RECORD has the right hashes, and the wheel has the notices that
the licenses of linked code require.

usage: same_wheel_test.py PACK_WHEEL BUILD_FOLDER WHEEL_FOLDER
"""

import base64
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import zipfile


def main(pack_wheel, build, wheels):
    wheel, = pathlib.Path(wheels).glob("crivo-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, pack_wheel, build, folder], check=True, stdout=subprocess.DEVNULL)
        again = pathlib.Path(folder, wheel.name)
        assert again.read_bytes() == wheel.read_bytes(), "two wheels of the same modules differ"
    with zipfile.ZipFile(wheel) as archive:
        notices, = (name for name in archive.namelist() if name.endswith(".dist-info/licenses/THIRD_PARTY.txt"))
        assert b"zstd" in archive.read(notices) and b"xxHash" in archive.read(notices)
        sbom, = (name for name in archive.namelist() if name.endswith(".dist-info/sboms/crivo.spdx.json"))
        assert b"zstd" in archive.read(sbom)
        record, = (name for name in archive.namelist() if name.endswith("/RECORD"))
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert sorted(row[0] for row in rows) == sorted(archive.namelist())
        for path, digest, size in rows:
            if path == record:
                continue
            content = archive.read(path)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={expected}", str(len(content))), path


if __name__ == "__main__":
    main(*sys.argv[1:])
