"""Crivo for Conan 2: `conan create packaging/conan` packs the tree that contains this file.

With shared=False, the package has the C++ library and the C interface. With shared=True, it has only libcrivo.so.0, the
C interface. The package omits the RocksDB plugin, which is for the shared librocksdb of a system.
"""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm, rmdir
from conan.tools.gnu import PkgConfigDeps


class CrivoConan(ConanFile):
    name = "crivo"
    description = "Membership filters (Bloom, counting, cuckoo, ribbon and others) that C, C++, SQLite and a tool share"
    author = "The Crivo developers <crivo@crivo.example>"
    license = "Apache-2.0"
    topics = ("bloom-filter", "cuckoo-filter", "ribbon-filter", "sqlite-extension")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "fPIC": [True, False], "sqlite": [True, False], "tool": [True, False]}
    default_options = {"shared": False, "fPIC": True, "sqlite": False, "tool": False}
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        listed = load(self, os.path.join(self._tree, "CMakeLists.txt"))
        self.version = listed.split("project(crivo VERSION ", 1)[1].split()[0]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "core/*", "docs/format.md",
                        "docs/kinds.md", "packaging/THIRD_PARTY.txt", "packaging/manual/*", "sqlite_ext/*"):
            copy(self, pattern, self._tree, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("zstd/[>=1.5.2 <1.6]")
        self.requires("xxhash/[>=0.8.1 <0.9]", visible=False)  # a header, compiled in
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.38 <4]")
        if self.options.tool:
            self.requires("cli11/[>=2.3 <3]", visible=False)

    def build_requirements(self):
        self.tool_requires("pkgconf/[>=2.1 <3]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "CRIVO_SHARED": bool(self.options.shared),
            "CRIVO_SQLITE": bool(self.options.sqlite),
            "CRIVO_TOOL": bool(self.options.tool),
            "CRIVO_ROCKSDB": False,
            "CRIVO_TESTS": False,
            "CRIVO_EXAMPLES": False,
            "CRIVO_INSTALL": True,
        })
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # core/CMakeLists.txt finds zstd with pkg-config

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", self.source_folder, licenses)
        copy(self, "THIRD_PARTY.txt", os.path.join(self.source_folder, "packaging"), licenses)
        # Conan generates its own files instead of these.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        if self.options.shared:
            rm(self, "libcrivo.a", os.path.join(self.package_folder, "lib"))
            rmdir(self, os.path.join(self.package_folder, "include", "crivo"))

    def package_info(self):
        library = self.cpp_info.components["crivo"]
        library.libs = ["crivo"]
        library.set_property("cmake_target_name", "crivo::shared" if self.options.shared else "crivo::crivo")
        library.set_property("pkg_config_name", "crivo-c" if self.options.shared else "crivo")
        library.system_libs = ["m", "pthread"]
        library.requires = ["zstd::zstd"]
        if self.options.sqlite and not self.options.shared:
            extension = self.cpp_info.components["sqlite_static"]
            extension.libs = ["crivo_sqlite"]
            extension.set_property("cmake_target_name", "crivo::sqlite_static")
            extension.set_property("pkg_config_name", "crivo-sqlite")
            extension.requires = ["crivo", "sqlite3::sqlite3"]
