#!/usr/bin/env python3
"""Checks the recipes for vcpkg and Conan without these programs, which are not in Debian.

usage: recipes_test.py ROOT

Stand-ins for the functions of vcpkg and Conan run the real CMake.
"""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PORT = ROOT / "packaging/vcpkg/ports/crivo"
RECIPE = ROOT / "packaging/conan/conanfile.py"
LISTS = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
OPTIONS = set(re.findall(r"^option\((CRIVO_\w+)", LISTS, re.MULTILINE))
VERSION = re.search(r"^project\(crivo VERSION (\S+)", LISTS, re.MULTILINE)[1]
# The vcpkg functions that the port uses: they configure, build and install a release. The preset is that of the tests'
# build, and the folder is next to it, so that ccache can reuse its objects.
VCPKG = r"""
cmake_minimum_required(VERSION 3.22)
set(CURRENT_PORT_DIR "@PORT@")
set(CMAKE_CURRENT_LIST_DIR "@PORT@")
set(CURRENT_PACKAGES_DIR "@OUT@/packages")
set(PORT crivo)
set(FEATURES core @FEATURES@)
macro(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endmacro()
function(vcpkg_check_linkage)
endfunction()
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" OUT_FEATURE_OPTIONS FEATURES)
  while(ARG_FEATURES)
    list(POP_FRONT ARG_FEATURES feature variable)
    set(value OFF)
    if(feature IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options -D${variable}=${value})
  endwhile()
  set(${ARG_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()
function(vcpkg_find_acquire_program name)
  find_program(found NAMES pkg-config pkgconf REQUIRED)
  set(${name} "${found}" PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" SOURCE_PATH "OPTIONS;MAYBE_UNUSED_VARIABLES")
  file(WRITE "@OUT@/options" "${ARG_OPTIONS}")
  run("${CMAKE_COMMAND}" --preset release -S "${ARG_SOURCE_PATH}" -B "@OUT@" -D BUILD_SHARED_LIBS=OFF
    "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -D CMAKE_INSTALL_LIBDIR=lib @LAUNCHER@ ${ARG_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --build "@OUT@" --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" CONFIG_PATH "")
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${ARG_CONFIG_PATH}/crivoConfig.cmake")
    message(FATAL_ERROR "CONFIG_PATH must have the package, got ${ARG_CONFIG_PATH}")
  endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 ARG AUTO_CLEAN "" TOOL_NAMES)
  file(COPY "${CURRENT_PACKAGES_DIR}/bin/${ARG_TOOL_NAMES}" DESTINATION "${CURRENT_PACKAGES_DIR}/tools/crivo")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "" FILE_LIST)
  file(COPY ${ARG_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/crivo")
endfunction()
include("@PORT@/portfile.cmake")
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


class Vcpkg(unittest.TestCase):
    manifest = json.loads((PORT / "vcpkg.json").read_text(encoding="utf-8"))

    def test_has_the_version_of_the_project(self):
        self.assertEqual((self.manifest["name"], self.manifest["version"]), ("crivo", VERSION))

    def test_has_the_fields_that_vcpkg_knows(self):
        self.assertLessEqual(set(self.manifest), {"name", "version", "description", "homepage", "license", "supports",
                                                  "dependencies", "features", "default-features"})
        dependencies = [self.manifest, *self.manifest["features"].values()]
        for each in dependencies:
            self.assertTrue(each["description"])
            for dependency in each["dependencies"]:
                name = dependency if isinstance(dependency, str) else dependency["name"]
                self.assertRegex(name, r"^[a-z0-9]+(-[a-z0-9]+)*$")

    def test_builds_and_installs_what_its_usage_names(self):
        (ROOT / "build").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as out:
            features = " ".join(self.manifest["features"])
            script = pathlib.Path(out, "port.cmake")
            launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
            text = VCPKG.replace("@PORT@", str(PORT)).replace("@OUT@", out).replace("@FEATURES@", features)
            script.write_text(text.replace("@LAUNCHER@", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"), encoding="utf-8")
            run("cmake", "-P", script)
            given = set(re.findall(r"-D(CRIVO_\w+)=", pathlib.Path(out, "options").read_text(encoding="utf-8")))
            self.assertLessEqual(given, OPTIONS)
            packages = pathlib.Path(out, "packages")
            for file in ("lib/libcrivo.a", "lib/libcrivo_sqlite.a", "include/crivo.h", "tools/crivo/crivo",
                         "share/crivo/usage", "share/crivo/LICENSE", "share/crivo/THIRD_PARTY.txt"):
                self.assertTrue((packages / file).exists(), file)
            usage = (PORT / "usage").read_text(encoding="utf-8")
            lines = [line for line in usage.splitlines() if line.startswith("    ")]
            project = pathlib.Path(out, "project")
            project.mkdir()
            (project / "CMakeLists.txt").write_text("\n".join(
                ["cmake_minimum_required(VERSION 3.22)", "project(usage LANGUAGES C CXX)",
                 "add_executable(main main.cpp)", *lines, "target_link_libraries(main PRIVATE sqlite3)"]), encoding="utf-8")
            (project / "main.cpp").write_text((ROOT / "tests/consumer/project/main.cpp").read_text(encoding="utf-8"),
                                              encoding="utf-8")
            run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={packages}")
            run("cmake", "--build", project / "build")
            run(project / "build/main")


class StandIn:
    """Replaces each class of Conan. Accepts any call, and stores what the recipe sets."""

    made = []

    def __init__(self, *_):
        self.cache_variables = {}
        StandIn.made.append(self)

    def __getattr__(self, name):
        return lambda *arguments, **named: None


def load_recipe(exported):
    """Loads the recipe with stand-ins for Conan. Adds the patterns of files that the recipe copies to `exported`."""
    functions = {"load": lambda _, file: pathlib.Path(file).read_text(encoding="utf-8"),
                 "copy": lambda _, pattern, *folders: exported.append(pattern)}
    for module, names in re.findall(r"^from (conan\S*) import (.*)$", RECIPE.read_text(encoding="utf-8"), re.MULTILINE):
        sys.modules[module] = types.ModuleType(module)
        for name in names.split(", "):
            stand_in = object if name == "ConanFile" else StandIn if name[0].isupper() else functions.get(name)
            setattr(sys.modules[module], name, stand_in)
    spec = importlib.util.spec_from_file_location("recipe", RECIPE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    recipe = module.CrivoConan()
    recipe.recipe_folder, recipe.export_sources_folder = str(RECIPE.parent), ""
    recipe.options = types.SimpleNamespace(**recipe.default_options)
    return recipe


class Conan(unittest.TestCase):
    def setUp(self):
        self.exported = []
        self.recipe = load_recipe(self.exported)

    def test_reads_the_version_of_the_project(self):
        self.recipe.set_version()
        self.assertEqual(self.recipe.version, VERSION)

    def test_sets_only_options_that_there_are(self):
        StandIn.made.clear()
        self.recipe.generate()
        given = set().union(*(each.cache_variables for each in StandIn.made))
        self.assertTrue(given)
        self.assertLessEqual(given, OPTIONS)

    def test_exports_every_folder_that_the_build_includes(self):
        self.recipe.export_sources()
        for pattern in self.exported:
            self.assertTrue(list(ROOT.glob(pattern)), pattern)
        for folder in re.findall(r"^ *add_subdirectory\((\S+)\)", LISTS, re.MULTILINE):
            # The recipe disables these.
            if folder not in ("plugins/rocksdb", "plugins/rocksdb/node", "examples", "tests"):
                self.assertTrue(any(pattern.startswith(folder.split("/")[0]) for pattern in self.exported), folder)


if __name__ == "__main__":
    unittest.main()
