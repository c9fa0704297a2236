#!/usr/bin/python3
"""The page names every command of RedisBloom in a comment, above a statement that run_examples.py runs.

usage: redis_commands_test.py PAGE.md
"""

import re
import sys

BF = "ADD CARD EXISTS INFO INSERT LOADCHUNK MADD MEXISTS RESERVE SCANDUMP"
CF = "ADD ADDNX COUNT DEL EXISTS INFO INSERT INSERTNX LOADCHUNK MEXISTS RESERVE SCANDUMP"
COMMANDS = [f"BF.{name}" for name in BF.split()] + [f"CF.{name}" for name in CF.split()]


def complaints(markdown):
    comments = re.findall(r"^/\* (.*) \*/\n[A-Z]", markdown, re.MULTILINE)  # followed by a statement
    for command in COMMANDS:
        if not any(re.search(rf"\b{re.escape(command)}\b", comment) for comment in comments):
            yield f"{command} must have an example"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(complaints(file.read()))
    print("\n".join(found) or f"{len(COMMANDS)} commands")
    sys.exit(1 if found else 0)
