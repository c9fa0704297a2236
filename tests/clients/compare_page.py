#!/usr/bin/python3
"""The page must link to each file of examples/sqlite_clients.

usage: compare_page.py PAGE FOLDER
"""

import pathlib
import re
import sys


def main(page_name, folder):
    linked = re.findall(r"\]\(\.\./examples/sqlite_clients/([^)]+)\)", pathlib.Path(page_name).read_text(encoding="utf-8"))
    missing = sorted({path.name for path in pathlib.Path(folder).iterdir()} - set(linked))
    print(*(f"{page_name} must link {name}" for name in missing), sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
