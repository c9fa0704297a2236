#!/usr/bin/env python3
"""The packages' statements about their makers and about the code that they contain.

usage: facts_test.py ROOT
"""
import email
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "core/python"))
import pack_wheel  # the path was just added

# Third-party headers that are compiled in, and the names of their copyright holders in the notices.
COMPILED_IN = {"xxhash.h": "Yann Collet", "zstd.h": "Meta Platforms, Inc. and affiliates",
               "CLI/CLI.hpp": "University of Cincinnati", "nlohmann/json.hpp": "Niels Lohmann"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Facts(unittest.TestCase):
    wheel = email.message_from_string(pack_wheel.metadata())
    npm = json.loads(text_of("sqlite_ext/node/package.json"))
    wasm = json.loads(text_of("core/wasm/package.json"))

    def test_notices_name_all_code_of_others_with_its_years(self):
        for header, holder in COMPILED_IN.items():
            begins = pathlib.Path("/usr/include", header).read_text(encoding="utf-8")[:500]
            years = re.search(r"(\d{4})-(\d{4})", begins)
            for notices in "packaging/THIRD_PARTY.txt", "packaging/debian/copyright":
                with self.subTest(header=header, notices=notices):
                    said = re.search(rf"(?:(\d{{4}})-(\d{{4}}) )?{re.escape(holder)}", text_of(notices))
                    self.assertIsNotNone(said, f"must name {holder}")
                    if years:  # later releases of Debian have later years
                        self.assertEqual(said[1], years[1])
                        self.assertGreaterEqual(said[2], years[2])

    def test_no_header_of_others_is_compiled_in_without_a_notice(self):
        """A library that CMake finds and that a target is linked with must be a dependency of the packages."""
        linked = {"PkgConfig::zstd", "CLI11::CLI11", "nlohmann_json::nlohmann_json"}
        only_needed = {"PkgConfig::rocksdb", "Threads::Threads"}
        for path in (path for room in ("core", "plugins", "sqlite_ext", "cmake") for path in (ROOT / room).rglob("*")):
            if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
                found = set(re.findall(r"\b\w+::\w+\b", path.read_text(encoding="utf-8")))
                foreign = {each for each in found if not each.startswith(("crivo::", "Python3::"))}
                self.assertLessEqual(foreign, linked | only_needed, path)

    def test_all_packages_name_the_same_makers(self):
        maintainer = re.search(r"^Maintainer: (.*)$", text_of("packaging/debian/control"), re.MULTILINE)[1]
        conan = re.search(r'^ +author = "(.*)"$', text_of("packaging/conan/conanfile.py"), re.MULTILINE)[1]
        self.assertEqual({self.wheel["Author-email"], self.npm["author"], self.wasm["author"], conan}, {maintainer})

    def test_wheel_and_npm_package_name_the_licences_of_all_that_is_in_them(self):
        self.assertEqual(self.wheel["License-Expression"], self.npm["license"])
        self.assertEqual(self.npm["license"], "Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause")
        self.assertEqual(self.wasm["license"], self.npm["license"] + " AND MIT")
        self.assertEqual(self.wheel["Metadata-Version"], "2.4")  # the first version with the fields for licenses
        self.assertEqual(self.wheel.get_all("License-File"), ["LICENSE", "THIRD_PARTY.txt"])
        self.assertNotIn("License", self.wheel)  # this version does not allow it with a license expression
        self.assertFalse([each for each in self.wheel.get_all("Classifier") if each.startswith("License")])

    def test_lists_of_what_is_compiled_in_have_what_spdx_asks_for(self):
        runtime = ["zstd", "libstdc++ and libgcc"]
        spaces = set()
        for file, more in {"crivo.so": runtime, "lib/libcrivo.so.0.1": runtime, "lib/libcrivo.so.0.2": runtime,
                           "libcrivo.a": [], "crivo": ["CLI11"],
                           "bin/crivo-sst": ["CLI11", "JSON for Modern C++"]}.items():
            sbom = self.sbom_of(file, b"!<arch>" if file.endswith(".a") else b"\x7fELF")
            spaces.add(sbom["documentNamespace"])
            self.assertEqual([each["fileName"] for each in sbom["files"]], [f"./{file}"])
            self.assertEqual([sbom[field] for field in ("spdxVersion", "dataLicense", "SPDXID", "name")],
                             ["SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT", "some-1.2"])
            self.assertEqual(sbom["creationInfo"]["created"], "1970-01-02T00:00:00Z")
            self.assertRegex(sbom["creationInfo"]["creators"][0], "^(Person|Organization|Tool): ")
            self.assertRegex(sbom["documentNamespace"], r"^https://[^#]+$")
            self.assertEqual([package["name"] for package in sbom["packages"]], ["some", "xxHash", *more])
            for package in sbom["packages"]:
                self.assertRegex(package["SPDXID"], r"^SPDXRef-[a-zA-Z0-9.-]+$")
                self.assertRegex(package["versionInfo"], r"^\d+")
                self.assertRegex(package["supplier"], r"^(Organization: .|NOASSERTION$)")
                self.assertRegex(package["externalRefs"][0]["referenceLocator"], r"^pkg:(deb|generic)/.*@\d")
                self.assertEqual((package["downloadLocation"], package["filesAnalyzed"]), ("NOASSERTION", False))
            whole, *parts = [package["SPDXID"] for package in sbom["packages"]]
            said = {(each["spdxElementId"], each["relationshipType"], each["relatedSpdxElement"])
                    for each in sbom["relationships"]}
            compiled = sbom["files"][0]["SPDXID"]
            self.assertEqual(said, {("SPDXRef-DOCUMENT", "DESCRIBES", each) for each in (whole, compiled)} |
                             {(whole, "CONTAINS", each) for each in parts} |
                             {(compiled, "STATIC_LINK", each) for each in parts})
        self.assertEqual(len(spaces), 6)  # another document has another name

    def sbom_of(self, file, content):
        """The SBOM of a package that has this file, and other files that were not compiled."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, file)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            pathlib.Path(folder, "crivo.py").write_text("text", encoding="utf-8")
            made = subprocess.run([ROOT / "packaging/sbom", "pkg:deb/crivo/some", "1.2", folder], check=True,
                                  stdout=subprocess.PIPE, env={**os.environ, "SOURCE_DATE_EPOCH": "86400"}).stdout
        return json.loads(made)

    def test_time_of_packages_is_that_of_the_newest_release(self):
        """With and without git, and for any modification times of the files."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "packaging").mkdir()
            shutil.copy(ROOT / "packaging/source_date", tree / "packaging")
            environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
            for headings, day in (["0.3 (unreleased)", "0.2 (1970-01-03)", "0.1 (1970-01-02)"], 2), (["0.1 (unreleased)"], None):
                (tree / "CHANGELOG.md").write_text("".join(f"## {each}\n\nWhat is new.\n\n" for each in headings),
                                                   encoding="utf-8")
                said = [int(subprocess.run([tree / "packaging/source_date"], check=True, stdout=subprocess.PIPE,
                                           env={**environment, **more}).stdout)
                        for more in ({}, {"TZ": "Pacific/Kiritimati"}, {"SOURCE_DATE_EPOCH": "7"})]
                self.assertEqual(said, [said[0] if day is None else day * 86400] * 2 + [7])
                self.assertLess(said[0], time.time() - 86400)

    def test_debians_packages_are_for_machines_of_64_bits(self):
        for listed in re.findall(r"^Architecture: (.*)$", text_of("packaging/debian/control"), re.MULTILINE):
            for machine in listed.split():
                bits = subprocess.run(["dpkg-architecture", "-a", machine, "-q", "DEB_HOST_ARCH_BITS"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
                self.assertEqual(bits.strip(), "64", machine)

    def test_can_be_found_by_keywords(self):
        self.assertIn("bloom filter", self.wheel["Keywords"].split(","))
        self.assertIn("bloom-filter", self.npm["keywords"])


if __name__ == "__main__":
    unittest.main()
