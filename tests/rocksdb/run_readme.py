#!/usr/bin/python3
"""Runs the ```cpp and ```sh examples of the plugin's pages, page by page and in order, in a folder like the project's.

Every option of RocksDBFilterOptions must have a row in the README's table.

usage: run_readme.py PROJECT LIBCRIVO_ROCKSDB CRIVO CXX README.md PAGE...

A C++ example with a main() is saved under the name in its first comment, for a shell example to compile or run. The
other C++ examples are the statements of one program that this script compiles and runs, with `options` and an open
`db`. Shell examples run under `bash -eu -o pipefail`. Lines that begin with `#> ` are what they must print, in this
order and among other lines; `...` in them stands for any text. tests/tool/run_pages.py runs the README's opening.

Every shell example that preloads the library runs first in a copy of the folder that has no library. There it must fail
and leave the database as it is: a compaction without the library would remove the filters.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FRAGMENTS = """
#include <crivo/rocksdb.h>
#include <crivo/rocksdb_refilter.h>
#include <crivo/rocksdb_verify.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <algorithm>
#include <iostream>
#include <memory>
int main() {
  rocksdb::Options options;
  options.create_if_missing = true;
  %s
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(options, "fragments.db", &opened).ok()) return 1;
  const std::unique_ptr<rocksdb::DB> db(opened);
  %s
  return changed.ok() ? 0 : 1;
}
"""


def examples_of(readme, *pages):
    """The examples of the pages, except the commands in the README's opening."""
    opening = readme.index("\n## ")
    for page in readme, *pages:
        for example in re.finditer(r"^```(cpp|sh)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            if page != readme or example.start() > opening or example[1] == "cpp":
                yield example.groups()


def missing_options(readme, header):
    """The options of the struct without a row in the table."""
    struct = re.search(r"^struct RocksDBFilterOptions \{(.*?)^\};", header, re.MULTILINE | re.DOTALL)[1]
    for option in re.findall(r"^  std::\S+ (\w+) =", struct, re.MULTILINE):
        if f"\n| `{option}` |" not in readme:
            yield option, "must have a row in the table of options"


def run(script, folder):
    return subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", script], cwd=folder, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def contents(folder):
    """What must not change: SST files, by name and bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("db/*.sst"))}


def failures_of(script, folder):
    ran = run(script, folder)
    lines = ran.stdout.splitlines()
    if ran.returncode != 0:
        yield f"must succeed, got status {ran.returncode}:\n{ran.stdout}"
    for expected in re.findall(r"^#> (.*)$", script, re.MULTILINE):
        pattern = ".*".join(map(re.escape, expected.split("...")))
        at = next((i for i, line in enumerate(lines) if re.fullmatch(pattern, line)), None)
        if at is None:
            yield f"must print {expected!r}, and in this order, got:\n{ran.stdout}"
        else:
            lines = lines[at + 1:]


def failures_without_library(script, folder):
    with tempfile.TemporaryDirectory() as other:
        copy = pathlib.Path(other, "project")
        shutil.copytree(folder, copy, symlinks=True)
        (copy / "build/release/libcrivo_rocksdb.so").unlink()
        before = contents(copy)
        if run(script, copy).returncode == 0:
            yield "must fail where the library is missing"
        if not before or contents(copy) != before:
            yield "must leave the files alone where the library is missing"


def entries_for_filter(folder):
    dump = run("sst_dump --show_properties --file=db", folder).stdout
    return [int(number) for number in re.findall(r"# entries for filter: (\d+)", dump)]


def main(project, library, tool, compiler, *pages):
    texts = [pathlib.Path(page).read_text(encoding="utf-8") for page in pages]
    examples = list(examples_of(*texts))
    fragments = [text for language, text in examples if language == "cpp" and "int main" not in text]
    scripts = [text for language, text in examples if language == "sh"]
    preloads = sum(script.count("LD_PRELOAD=") for script in scripts)
    if len(fragments) != 7 or preloads < 3:
        raise SystemExit(f"{len(fragments)} fragments and {preloads} preloads: correct this script")
    header = pathlib.Path(project, "plugins/rocksdb/include/crivo/rocksdb.h").read_text(encoding="utf-8")
    failures = list(missing_options(texts[0], header))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/libcrivo_rocksdb.so").symlink_to(library)
        (folder / "build/release/crivo").symlink_to(tool)
        for part in ("plugins", "core", "tests"):
            (folder / part).symlink_to(pathlib.Path(project, part))
        (folder / "fragments.cpp").write_text(FRAGMENTS % (fragments[0], "".join(fragments[1:])), encoding="utf-8")
        for language, text in examples:
            if "int main" in text:
                name = re.match(r"// (\w+\.cpp):", text)[1]
                (folder / name).write_text(text, encoding="utf-8")
            elif language == "sh":
                if "LD_PRELOAD" in text:
                    failures += [(text, failure) for failure in failures_without_library(text, folder)]
                failures += [(text, failure) for failure in failures_of(text.replace("g++ ", f"{compiler} "), folder)]
                if "compact" in text and entries_for_filter(folder) != [10000]:
                    failures.append((text, f"must keep the filters, got entries {entries_for_filter(folder)}"))
                if "db_bench" in text and not re.search(r"bloom.filter.useful COUNT : [1-9]", run(text, folder).stdout):
                    failures.append((text, "must spare reads"))
        build = next(script for script in scripts if "g++" in script).split("\n./")[0]
        build = build.replace("filters", "fragments").replace("g++ ", f"{compiler} ")
        build += "\n./fragments\n#> crivo.Ribbon:12:1"
        failures += [("the fragments", failure) for failure in failures_of(build, folder)]
    for example, failure in failures:
        print(f"{example}\n  {failure}")
    print(f"{len(examples)} examples, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
