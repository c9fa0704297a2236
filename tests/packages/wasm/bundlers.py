#!/usr/bin/env python3
"""The page of `bundled`, which uses both packages, packed by a bundler and opened in a browser.

usage: bundlers.py BUNDLER FOLDER TOOLS SOURCES; BUNDLER is vite, webpack or esbuild, and FOLDER has the packed files.
Exits with 77 and a reason if something that the test needs is missing.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

import browser
import sqlite_package
import wasm_package
from npm_package import need, require, skip

HERE = pathlib.Path(__file__).resolve().parent
WEBPACK = """require(%s)({ mode: "production", entry: "./page.js", output: { path: `${process.cwd()}/dist` } },
    (error, stats) => { if (error || stats.hasErrors()) throw error ?? stats.toString(); })"""
PAGES = "docs/node.md", sqlite_package.Setting.page
SAID = {"filter": [True, False], "sql": ["ada"]}


def by_vite(setting, node, modules):
    setting.run(node, modules / "vite/bin/vite.js", "build")


def by_webpack(setting, node, modules):
    setting.run(node, "-e", WEBPACK % json.dumps(str(modules / "webpack")))
    page = (setting.folder / "index.html").read_text(encoding="utf-8")
    (setting.folder / "dist/index.html").write_text(page.replace("page.js", "main.js"), encoding="utf-8")


def by_esbuild(setting, _, modules):
    """esbuild does not copy the files that the code loads; each page names them."""
    setting.run(modules / ".bin/esbuild", "page.js", "worker.js", "--bundle", "--format=esm", "--outdir=dist")
    shutil.copy(setting.folder / "index.html", setting.folder / "dist")
    for page in PAGES:
        line, = re.findall(r"`(cp node_modules/.* dist)`", (setting.sources / page).read_text(encoding="utf-8"))
        setting.run("bash", "-c", line)


def main(bundler, packages, tools, sources):
    need("npm", "chromium")
    with tempfile.TemporaryDirectory() as name:
        setting = wasm_package.Setting(packages, tools, sources, name)
        modules = setting.tools / "bundlers/node_modules"
        if not (modules / bundler).exists():
            skip(f"no {bundler} in {setting.tools}: ./dev test --all installs it")
        setting.run("npm", "install", setting.tarball, sqlite_package.Setting(packages, tools, sources, name).tarball)
        shutil.copytree(HERE / "bundled", name, dirs_exist_ok=True)
        pack = {"vite": by_vite, "webpack": by_webpack, "esbuild": by_esbuild}[bundler]
        pack(setting, setting.current_node(), modules)
        said = browser.answers_in_chromium(setting.folder / "dist")
    require(said == SAID, f"{bundler}: the page must say {SAID}, got {said}")


if __name__ == "__main__":
    main(*sys.argv[1:])
