#!/usr/bin/python3
"""Every command of RedisBloom has a row in the README's table, and an example that run_examples.py runs.

usage: redis_commands_test.py README.md
"""

import re
import sys

BF = "ADD CARD EXISTS INFO INSERT LOADCHUNK MADD MEXISTS RESERVE SCANDUMP"
CF = "ADD ADDNX COUNT DEL EXISTS INFO INSERT INSERTNX LOADCHUNK MEXISTS RESERVE SCANDUMP"
COMMANDS = [f"BF.{name}" for name in BF.split()] + [f"CF.{name}" for name in CF.split()]


def complaints(markdown):
    rows = [line.split("|")[1] for line in markdown.splitlines() if line.startswith("| `")]
    comments = re.findall(r"^/\* (.*) \*/\n[A-Z]", markdown, re.MULTILINE)  # a statement follows
    for command in COMMANDS:
        if not any(f"`{command}`" in row for row in rows):
            yield f"{command} must have a row in the table"
        if not any(re.search(rf"(^|, ){re.escape(command)} ", comment) for comment in comments):
            yield f"{command} must have an example below the table"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(complaints(file.read()))
    print("\n".join(found) or f"{len(COMMANDS)} commands")
    sys.exit(1 if found else 0)
