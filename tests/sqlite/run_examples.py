#!/usr/bin/python3
"""Runs the ```sql examples of Markdown files in the sqlite3 shell, and compares their output.

usage: run_examples.py SQLITE3 CRIVO_SO FILE.md...

The blocks of a file are one session with the extension loaded. Lines `.load ...` are omitted. A block is also omitted
if its first line is a comment that names a file (tests/tool/run_pages.py runs these). The comment lines after a
statement are its expected output, one row per line. `-- error: TEXT` is an error, and `-- ...` matches anything. A
statement without such lines must print nothing.
"""

import re
import subprocess
import sys
import tempfile
from sqlite3 import complete_statement

MARK = "==statement=="


class Example:
    """A statement, its line number, and its expected output."""

    def __init__(self, text, line):
        self.text, self.line, self.expected = text, line, []

    def complaint(self, rows, errors):
        wanted_errors = [row[len("error: "):] for row in self.expected if row.startswith("error: ")]
        wanted_rows = [row for row in self.expected if not row.startswith("error: ")]
        if len(errors) != len(wanted_errors) or any(w not in e for w, e in zip(wanted_errors, errors)):
            return f"must fail with {wanted_errors}, got {errors}"
        if wanted_rows != ["..."] and rows != wanted_rows:
            return f"must print {wanted_rows}, got {rows}"
        return None


def examples_of(markdown):
    examples, pending, inside = [], "", False
    lines = markdown.splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            inside = line == "```sql" and not lines[number].startswith("-- ")
        elif inside and not pending and line.startswith("-- "):
            examples[-1].expected.append(line[len("-- "):])
        elif inside and not line.startswith(".load") and (pending or line.strip()):
            start = number if not pending else start
            pending += line + "\n"
            if complete_statement(pending) or pending.startswith("."):
                examples.append(Example(pending, start))
                pending = ""
    if pending:
        raise SystemExit(f"line {start}: statement does not end: {pending}")
    return examples


def run(shell, extension, examples):
    """The rows that each example prints and its errors, assigned by the shell's line numbers."""
    script, first_lines = f'.load "{extension}"\n', []
    for example in examples:
        script += f".print {MARK}\n"
        first_lines.append(script.count("\n") + 1)
        script += example.text
    with tempfile.TemporaryFile("w+") as stderr:
        stdout = subprocess.run([shell, "-batch", "-init", "/dev/null", ":memory:"], input=script, text=True,
                                stdout=subprocess.PIPE, stderr=stderr, check=False).stdout
        stderr.seek(0)
        errors = [[] for _ in examples]
        for message in stderr:
            place = re.search(r"near line (\d+): (.*)", message)
            if not place:  # a parse error's excerpt of the statement
                continue
            index = sum(first <= int(place[1]) for first in first_lines) - 1
            errors[index].append(place[2])
    rows = [part.splitlines()[1:] for part in stdout.split(MARK)[1:]]
    return zip(examples, rows, errors, strict=True)


def main(shell, extension, *files):
    failures = count = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            examples = examples_of(file.read())
        if not examples:
            raise SystemExit(f"{name}: has no ```sql examples")
        for example, rows, errors in run(shell, extension, examples):
            count += 1
            complaint = example.complaint(rows, errors)
            if complaint:
                failures += 1
                print(f"{name}:{example.line}: {example.text.strip()}\n  {complaint}")
    print(f"{count} examples, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
