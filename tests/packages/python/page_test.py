"""Runs the blocks of docs/python.md in an empty folder: page_test.py PAGE.

The Python blocks are one program. A line that prints and ends with a comment must print the comment's text.
"""

import contextlib
import io
import pathlib
import re
import sys


def main(page):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    assert text.index("\npip install crivo") < text.index("```python"), "the page must open with the install line"
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    first = [line for line in blocks[0].splitlines() if line and not line.startswith("import")]
    assert len(first) <= 10, "the first block must have at most ten lines"
    names, compared = {}, 0
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, page, "exec"), names)
        wanted = re.findall(r"^ *print\(.*\) +# (.*)$", block, re.MULTILINE)
        assert printed.getvalue().splitlines() == wanted, f"{block}\nprints\n{printed.getvalue()}"
        compared += len(wanted)
    print(f"{len(blocks)} blocks run, {compared} printed lines compared")
    assert compared >= 15


if __name__ == "__main__":
    main(*sys.argv[1:])
