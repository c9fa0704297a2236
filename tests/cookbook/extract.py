#!/usr/bin/python3
"""Turns the ```cpp blocks of a Markdown file into one program that runs them all.

usage: extract.py FILE.md PROGRAM.cpp
"""

import re
import sys

HEAD = """// Generated from {source}; the blocks are its recipes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "crivo/blob.h"
#include "crivo/builder.h"
#include "crivo/filter.h"

#define require(...) \\
  ((__VA_ARGS__) ? void() : (std::fprintf(stderr, "line %d: not true: %s\\n", __LINE__, #__VA_ARGS__), std::exit(1)))
"""


def recipes(markdown):
    """(line number, text) of every block."""
    for match in re.finditer(r"^```cpp\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE):
        yield markdown.count("\n", 0, match.start()) + 2, match.group(1)


def program(source, markdown):
    parts = [HEAD.format(source=source)]
    lines = []
    for line, text in recipes(markdown):
        lines.append(line)
        parts.append(f"\nstatic void recipe_at_line_{line}() {{\n#line {line} \"{source}\"\n{text}}}\n")
    if not lines:
        raise SystemExit(f"{source}: has no recipe")
    calls = "".join(f"  recipe_at_line_{line}();\n" for line in lines)
    parts.append(f'\nint main() {{\n{calls}  std::puts("{len(lines)} recipes ran");\n}}\n')
    return "".join(parts)


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = program(source, file.read())
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
