#!/usr/bin/env python3
"""Does what a reader of docs/cpp.md does: saves the program, runs the commands, and sees what the page says it prints.

usage: run_page.py PAGE FOLDER_OF_CRIVO_PC
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def block(page, language):
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    if len(blocks) != 1:
        raise SystemExit(f"the page must have one block of {language}, got {len(blocks)}")
    return blocks[0]


def main(page_name, pkg_config_path):
    page = pathlib.Path(page_name).read_text(encoding="utf-8")
    program = block(page, "cpp")
    with tempfile.TemporaryDirectory() as folder:
        name = re.match(r"// (\S+\.cpp): ", program)[1]
        pathlib.Path(folder, name).write_text(program, encoding="utf-8")
        done = subprocess.run(["bash", "-e", "-c", block(page, "sh")], cwd=folder, text=True, stdout=subprocess.PIPE,
                              env={**os.environ, "PKG_CONFIG_PATH": pkg_config_path}, check=True)
    if done.stdout != block(page, "text"):
        raise SystemExit(f"the program must print what the page says, got:\n{done.stdout}")


if __name__ == "__main__":
    main(*sys.argv[1:])
