#!/usr/bin/python3
"""The page shows each file of examples/sqlite_clients as it is, and no other program.

usage: compare_page.py PAGE FOLDER
"""

import pathlib
import re
import sys

LANGUAGES = "c|go|js|perl|python|sql"


def main(page_name, folder):
    page = pathlib.Path(page_name).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```(?:{LANGUAGES})\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    files = {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}
    wrong = [f"{page_name} must show {name} as it is" for name, text in files.items() if text not in blocks]
    wrong += [f"{page_name}: no file is this:\n{block}" for block in blocks if block not in files.values()]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
