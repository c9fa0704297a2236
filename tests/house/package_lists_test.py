#!/usr/bin/env python3
"""The packages' file lists must name every installed file. usage: package_lists_test.py ROOT BUILD"""
import glob
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
DEBIAN = ROOT / "packaging/debian"


def install(folder):
    """Installs the build in FOLDER, and renames folders as debian/rules does.

    A component keeps CMake from overwriting the list of installed files, which other tests need.
    """
    usr = pathlib.Path(folder, "usr")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", usr, "--component", "Unspecified"], check=True,
                   stdout=subprocess.DEVNULL)
    if not list(usr.glob("lib/*-linux-gnu")):
        (usr / "lib").rename(usr / "of_machine")
        (usr / "lib").mkdir()
        (usr / "of_machine").rename(usr / "lib/machine")
    functions = usr / "share/zsh/site-functions"
    if functions.exists():
        functions.rename(functions.with_name("vendor-completions"))


def files_of(folder, pattern):
    """The files in FOLDER that a dh_install pattern matches, including the files of matched folders."""
    found = [pathlib.Path(folder, each) for each in glob.glob(pattern, root_dir=folder)]
    within = [file for path in found if path.is_dir() for file in path.rglob("*")]
    return {str(file.relative_to(folder)) for file in found + within if not file.is_dir()}


class PackageLists(unittest.TestCase):
    def test_debians_packages_take_each_installed_file_once(self):
        rules = (DEBIAN / "rules").read_text(encoding="utf-8")
        removals = re.findall(r"^\trm debian/([\w-]+)/(\S+)$", rules, re.MULTILINE)
        packages_of = {}
        with tempfile.TemporaryDirectory() as folder:
            install(folder)
            for listed in DEBIAN.glob("*.install"):
                taken = set()
                for pattern in re.findall(r"^usr/\S+$", listed.read_text(encoding="utf-8"), re.MULTILINE):
                    files = files_of(folder, pattern)
                    self.assertTrue(files, f"{listed.name} must name installed files, got {pattern}")
                    taken |= files
                for package, pattern in removals:
                    if package == listed.stem:
                        taken -= files_of(folder, pattern)
                for file in taken:
                    packages_of.setdefault(file, []).append(listed.stem)
            for file in sorted(files_of(folder, "usr")):
                with self.subTest(file=file):
                    self.assertEqual(len(packages_of.get(file, [])), 1, f"packages with it: {packages_of.get(file)}")

    def test_wheel_takes_each_file_of_its_package(self):
        sys.path.insert(0, str(ROOT / "core/python"))
        import pack_wheel  # pylint: disable=import-outside-toplevel
        taken = {path.name for path in pack_wheel.python_files()}
        here = {path.name for path in (ROOT / "core/python/crivo").iterdir() if path.is_file() and path.suffix != ".so"}
        self.assertEqual(taken, here)

    def test_npm_packages_list_their_modules_and_what_those_import(self):
        for package, more in ("sqlite_ext/node", []), ("plugins/rocksdb/node", []), ("core/wasm", ["core/js"]):
            files = json.loads((ROOT / package / "package.json").read_text(encoding="utf-8"))["files"]
            listed = {*files, "package.json"}
            modules = {path.name: path for folder in [package, *more] for path in (ROOT / folder).glob("*.*js")}
            own = {path.name for path in (ROOT / package).glob("*.*js")}
            self.assertLessEqual(own, listed, package)
            for name in listed & set(modules):
                text = modules[name].read_text(encoding="utf-8")
                imported = set(re.findall(r"""(?:from|import|require\() ?["']\./([\w.]+)["']""", text))
                self.assertLessEqual(imported, listed, f"{package}: {name}")


if __name__ == "__main__":
    unittest.main()
