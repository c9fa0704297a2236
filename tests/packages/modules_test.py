#!/usr/bin/env python3
"""What the compiled modules of the npm package and the wheel need from a system, and how they are hardened.

usage: modules_test.py ROOT LIBCRIVO_A FOLDER...; each FOLDER has a package.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT, LIBRARY, *FOLDERS = (pathlib.Path(each).resolve() for each in sys.argv[1:])
sys.argv[1:] = []


def output_of(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def unpack_modules(folder):
    """Unpacks the modules of the packages, and returns their paths."""
    for package in [each for source in FOLDERS for each in source.iterdir()]:
        with zipfile.ZipFile(package) if package.suffix == ".whl" else tarfile.open(package) as archive:
            archive.extractall(folder / package.name)
    return sorted([*folder.rglob("*.so"), *folder.rglob("*.node")])


class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, name, text, *options):
        """Compiles C++ source text to the file `name`, and returns its path."""
        source, made = self.folder / f"{name}.cpp", self.folder / name
        source.write_text(text, encoding="utf-8")
        subprocess.run(["g++", source, *options, "-o", made], check=True)
        return made

    def test_are_hardened_as_debians_packages_are(self):
        modules = unpack_modules(self.folder)
        self.assertGreaterEqual(len(modules), len(FOLDERS))
        for module in modules:
            with self.subTest(module=module.name):
                self.assertIn("GNU_RELRO", output_of("readelf", "--wide", "--segments", module))
                self.assertRegex(output_of("readelf", "--dynamic", module), r"FLAGS.*\bNOW\b")
        # Checks the library, because in a module the C++ runtime and zstd could call these functions.
        symbols = output_of("nm", LIBRARY, stderr=subprocess.DEVNULL)
        called = set(re.findall(r"U (__\w*_chk\w*)$", symbols, re.MULTILINE))
        self.assertIn("__stack_chk_fail", called)  # -fstack-protector-strong
        self.assertIn("__snprintf_chk", called)  # -D_FORTIFY_SOURCE=2

    def test_find_the_name_that_glibc_2_38_gave_a_function(self):
        text = ('extern "C" unsigned long __isoc23_strtoul(const char*, char**, int);\n'
                'int main() { char* end; return __isoc23_strtoul("7x", &end, 10) == 7 && *end == \'x\' ? 0 : 1; }\n')
        program = self.compile("program", text, ROOT / "cmake/older_glibc.cpp")
        subprocess.run([program], check=True)
        self.assertNotIn("__isoc23_strtoul", output_of("readelf", "--wide", "--dyn-syms", program))

    def test_are_refused_if_they_need_a_newer_glibc_than_their_pages_promise(self):
        text = 'extern "C" unsigned arc4random();\nunsigned random_number() { return arc4random(); }\n'
        module = self.compile("crivo.so", text, "-shared", "-fPIC")
        for copy in "_crivo.abi3.so", "crivo.node":
            shutil.copy(module, self.folder / copy)
        for command in ([ROOT / "packaging/needed_glibc", module],
                        [ROOT / "packaging/npm", self.folder / "packed", self.folder],
                        [ROOT / "core/python/pack_wheel.py", self.folder, self.folder / "packed"]):
            refused = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("must run with glibc 2.35", refused.stderr)
            self.assertIn("arc4random needs 2.36", refused.stderr)
        self.assertFalse(list(self.folder.glob("packed/*")))

    def test_are_built_by_a_newer_compiler_with_warnings_of_its_own(self):
        """Only presets for work on Crivo turn warnings into errors. Recipes and debian/rules configure without these
        presets."""
        for chosen, errors in (["--preset", "release"], True), (["--preset", "package"], False), ([], False):
            with self.subTest(chosen=chosen):
                build = self.folder / "_".join(["build", *chosen])
                subprocess.run(["cmake", "-S", ROOT, "-B", build, *chosen, "-DCRIVO_TESTS=OFF", "-DCRIVO_EXAMPLES=OFF"],
                               cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
                commands = (build / "compile_commands.json").read_text(encoding="utf-8")
                self.assertEqual("-Werror" in commands, errors)


if __name__ == "__main__":
    unittest.main()
