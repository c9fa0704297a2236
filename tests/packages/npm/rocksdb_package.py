#!/usr/bin/env python3
"""The npm package for RocksDB in Node, installed in an empty folder with the @nxtedition/rocksdb for which it was
built.

usage: rocksdb_package.py FOLDER PEER SOURCES; FOLDER has the packed file, and PEER is the folder of
@nxtedition/rocksdb.
"""

import json
import pathlib
import shutil
import sys
import tempfile

from npm_package import HERE, Setting, require


class RocksDBSetting(Setting):
    page = "plugins/rocksdb/node/README.md"
    packed = "crivo-rocksdb-*.tgz"


def main(packages, peer, sources):
    peer = pathlib.Path(peer).resolve()
    tools = peer.parents[3]  # FOLDER/rocksdb/node_modules/@nxtedition/rocksdb
    with tempfile.TemporaryDirectory() as folder:
        setting = RocksDBSetting(packages, tools, sources, folder)
        page = (setting.sources / setting.page).read_text(encoding="utf-8")
        version = json.loads((peer / "package.json").read_text(encoding="utf-8"))["version"]
        require(f"npm install @nxtedition/rocksdb@{version} ./{setting.packed}" in page, f"{setting.page}: no {version}")
        shutil.copy(setting.tarball, folder)
        # The peer is linked from TOOLS, because there may be no network.
        setting.run("npm", "install", "--legacy-peer-deps", f"./{setting.tarball.name}")
        setting.link("@nxtedition/rocksdb", "rocksdb")
        shutil.copy(HERE / "rocksdb.cjs", folder)
        setting.run("node", "--preserve-symlinks-main", "rocksdb.cjs", "db")

        installed = pathlib.Path(folder) / "node_modules/crivo-rocksdb/package.json"
        facts = json.loads(installed.read_text(encoding="utf-8"))
        facts["peerDependencies"]["@nxtedition/rocksdb"] = "12.2.11"
        installed.write_text(json.dumps(facts), encoding="utf-8")
        said = setting.run("node", "-e", "require('crivo-rocksdb')", fails=True)
        require(f"must be version 12.2.11, which it was built for, got {version}" in said, said)


main(*sys.argv[1:])
