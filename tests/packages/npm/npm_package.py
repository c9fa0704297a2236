#!/usr/bin/env python3
"""Tests of the npm package. Each test installs the packed file in an empty folder.

usage: npm_package.py TEST VERSION FOLDER TOOLS SOURCES; VERSION is the project's, FOLDER has the packed file, and TOOLS
is the output of node_tools. Exits with 77 and a reason if something that the test needs is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKED = {"package.json", "README.md", "LICENSE", "THIRD_PARTY.txt", "sbom.spdx.json", "linux-x64/crivo.so",
          "linux-x64/crivo.node", "filter.cjs", "filter.d.cts", "index.js", "index.mjs", "index.d.ts", "index.d.mts"}
NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
QUIET = {"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false",
         "npm_config_offline": "true"}  # the package has no dependencies


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"no {program}: ./dev test --all installs it")


def require(condition, message):
    if not condition:
        raise SystemExit(message)


class Setting:
    """The environment of a test: the packed file, the tools, and a folder that was empty before npm installed the file."""

    page = "sqlite_ext/node/README.md"  # has the install line
    packed = "crivo-[0-9]*.tgz"

    def __init__(self, packages, tools, sources, folder):
        self.packages, self.tools, self.sources = [pathlib.Path(path).resolve() for path in (packages, tools, sources)]
        self.folder = pathlib.Path(folder)
        self.tarball = next(self.packages.glob(self.packed))

    def run(self, *command, fails=False, **environment):
        done = subprocess.run([str(each) for each in command], cwd=self.folder, text=True, check=False,
                              env={**os.environ, **QUIET, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        require((done.returncode != 0) == fails, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr if fails else done.stdout

    def install(self, fails=False, **environment):
        """Runs the README's install line, which must not match another package."""
        shutil.copy(self.tarball, self.folder)
        for other in {"crivo-[0-9]*.tgz", "crivo-wasm-*.tgz", "crivo-sqlite-wasm-*.tgz"} - {self.packed}:
            (self.folder / other.replace("[0-9]", "0").replace("*", "0")).touch()
        line = f"npm install ./{self.packed}"
        require(line in (self.sources / self.page).read_text(encoding="utf-8"), f"no line {line}")
        return self.run("bash", "-c", line, fails=fails, **environment)

    def current_node(self):
        node = self.tools / "current/node_modules/.bin/node"
        return node if node.exists() else skip(f"no current Node in {self.tools}: ./dev test --all installs it")

    def link(self, name, place="modules"):
        """Links a module of TOOLS into the folder, after install(), because npm removes modules that it did not
        install."""
        source = self.tools / place / "node_modules" / name
        if not source.exists():
            skip(f"no {name} in {self.tools}: npm could neither download nor compile it (build/logs/npm-tools.log)")
        target = self.folder / "node_modules" / name
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(source)

    def program(self, node, name):
        shutil.copy(HERE / name, self.folder)
        self.run(node, name)


def holds_what_it_needs_and_no_more(setting, version):
    with tarfile.open(setting.tarball) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
    require(names == PACKED, f"packed must be {sorted(PACKED)}, got {sorted(names)}")


def has_the_version_of_the_project(setting, version):
    require(setting.tarball.name == f"crivo-{version}.tgz", f"the file must be crivo-{version}.tgz")
    setting.install()
    printed = setting.run("node", "-p", "require('crivo/package.json').version").strip()
    require(printed == version, f"version must be {version}, got {printed}")


def runs_with_the_c_library_that_its_pages_name(setting, version):
    setting.install()
    dynamic = "".join(setting.run("readelf", "--wide", "--dynamic", "--version-info", f"node_modules/crivo/linux-x64/{file}")
                      for file in ("crivo.so", "crivo.node"))
    libraries = set(re.findall(r"Shared library: \[(.*?)\]", dynamic))
    require(libraries <= NEEDED, f"the files must need no other library than {sorted(NEEDED)}, got {sorted(libraries)}")
    needed = max(tuple(map(int, each.split("."))) for each in re.findall(r"\bGLIBC_([0-9.]+)\b", dynamic))
    for page in "sqlite_ext/node/README.md", "docs/node.md":
        says = re.search(r"glibc (\d+)\.(\d+) or later", (setting.sources / page).read_text(encoding="utf-8"))
        said = tuple(map(int, says.groups()))
        require(needed == said, f"{page} must name the glibc that its files need, {needed}, got {said}")


def is_refused_on_other_platforms(setting, version):
    shutil.copy(HERE / "pretend.cjs", setting.folder)
    for machine in "linux-arm64", "darwin-x64":
        message = setting.install(fails=True, PRETENDED=machine, NODE_OPTIONS="--require ./pretend.cjs")
        require("EBADPLATFORM" in message, f"npm install on {machine} must fail with EBADPLATFORM, got\n{message}")
    setting.install()
    setting.program("node", "platforms.cjs")


def filters_work_in_threads(setting, version):
    setting.install()
    setting.program("node", "filter_threads.cjs")


def loads_into_node_sqlite(setting, version):
    setting.install()
    setting.program(setting.current_node(), "node_sqlite.mjs")


def loads_into_better_sqlite3(setting, version):
    setting.install()
    setting.link("better-sqlite3")
    setting.program("node", "better_sqlite3.cjs")


def loads_into_sqlite3(setting, version):
    setting.install()
    setting.link("sqlite3")
    setting.program("node", "sqlite3.cjs")
    current = setting.current_node()
    if subprocess.run([current, "-e", "require('sqlite3')"], cwd=setting.folder, check=False).returncode != 0:
        skip("sqlite3 by itself ends the current Node, if it was compiled for Node 18; tested with the machine's Node")
    setting.program(current, "sqlite3.cjs")


def runs_the_clients_that_debian_lacks(setting, version):
    setting.install()
    setting.link("better-sqlite3")
    for node, name in ("node", "node_better_sqlite3.js"), (setting.current_node(), "node_own.js"):
        shutil.copy(setting.sources / "examples/sqlite_clients" / name, setting.folder)
        printed = setting.run(node, name, setting.folder / "node_modules/crivo/linux-x64/crivo.so")
        require(printed == "filter|1|0\ntable|1|0\n", f"{name} printed\n{printed}")


def has_the_types_that_typescript_expects(setting, version):
    setting.install()
    setting.link("sqlite3")
    for name in "@types/node", "@types/better-sqlite3":
        setting.link(name, "current")
    for name in "types.mts", "types.cts":
        shutil.copy(HERE / name, setting.folder)
    compiler = setting.tools / "current/node_modules/typescript/bin/tsc"
    setting.run(setting.current_node(), compiler, "--strict", "--noEmit", "--module", "nodenext", "--types", "node",
                "types.mts", "types.cts")


def begins_as_its_page_says(setting, version):
    """From the install line to the tool, which reads the file that the example writes. CRIVO_TOOL is the tool's path."""
    shutil.copy(setting.tarball, setting.folder)
    (setting.folder / "leaked.txt").write_text("secret\n", encoding="utf-8")  # the example's input
    path = os.pathsep.join([str(setting.current_node().parent), os.environ["PATH"]])
    setting.run(sys.executable, setting.sources / "tests/tool/run_pages.py", "--install", setting.folder,
                os.environ["CRIVO_TOOL"], setting.sources / "docs/node.md", PATH=path)


def runs_every_example(setting, version):
    node = setting.current_node()
    modules = {"better-sqlite3": "node", "sqlite3": "node"}
    for page in "sqlite_ext/node/README.md", "docs/node.md":
        text = (setting.sources / page).read_text(encoding="utf-8")
        blocks = re.findall(r"^```js\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        require(blocks, f"{page}: has no block of JavaScript")
        for number, block in enumerate(blocks, 1):
            runs_example(setting, f"{page}, example {number}", block, node, modules)


def runs_example(setting, title, block, current_node, modules):
    """A block must print the comments after its console.log calls."""
    needs = [name for name in modules if re.search(rf"[\"']{name}[\"']", block)]
    with tempfile.TemporaryDirectory() as folder:
        inner = Setting(setting.packages, setting.tools, setting.sources, folder)
        inner.install()
        for name in needs:
            inner.link(name)
        name = "example.mjs" if re.search(r"^import ", block, re.MULTILINE) else "example.cjs"
        (inner.folder / name).write_text(block, encoding="utf-8")
        printed = inner.run(modules[needs[0]] if needs else current_node, name)
    expected = "".join(f"{each}\n" for each in re.findall(r"console\.log\(.*\); // (.*)$", block, re.MULTILINE))
    require(expected, f"{title}: must print something")
    require(printed == expected, f"{title}: must print\n{expected}got\n{printed}")


TESTS = {"".join(word.capitalize() for word in test.__name__.split("_")): test for test in (
    holds_what_it_needs_and_no_more, has_the_version_of_the_project, runs_with_the_c_library_that_its_pages_name,
    is_refused_on_other_platforms, filters_work_in_threads, loads_into_node_sqlite, loads_into_better_sqlite3, loads_into_sqlite3,
    runs_the_clients_that_debian_lacks, has_the_types_that_typescript_expects, begins_as_its_page_says,
    runs_every_example)}


def main(test, version, packages, tools, sources):
    need("node", "npm")
    with tempfile.TemporaryDirectory() as folder:
        TESTS[test](Setting(packages, tools, sources, folder), version)


if __name__ == "__main__":
    main(*sys.argv[1:])
