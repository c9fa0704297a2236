"""The report of the demo, for a terminal of 80 columns."""
import hashlib
import pathlib
import subprocess
from dataclasses import dataclass

from measure import Took, floor_bytes

WIDTHS = (9, 8, 8, 9, 10, 10, 9)


@dataclass
class Row:
    """The measurements of one contestant with one host. None: not applicable."""

    name: str
    host: str = ""
    bytes_per_key: float | None = None
    built: Took | None = None
    first: float | None = None  # seconds to start the program and answer one query
    absent: float | None = None  # queries per second
    present: float | None = None
    wrong: float = 0.0  # the share of absent passwords that were found
    exact: bool = False  # must find no absent password


def megabytes(peak_bytes):
    sign, told = ("", peak_bytes) if peak_bytes > floor_bytes() else ("<", floor_bytes())
    return f"{sign}{told / 1e6:,.0f}"


def millions(rate):
    """Three digits, the precision of the measurement."""
    decimals = 1 if rate >= 1e7 else 2 if rate >= 1e6 else 3
    return f"{rate / 1e6:.{decimals}f}"


def line(name, *cells):
    return f"  {name:<15}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS))


def cells_of_file(row):
    return f"{row.bytes_per_key:.2f}", f"{row.built.seconds:.1f}", megabytes(row.built.peak_bytes)


def cells_of_host(row):
    known = [format_(value) if value is not None else "-" for format_, value in (
        (lambda seconds: f"{1000 * seconds:.0f}", row.first), (millions, row.absent), (millions, row.present))]
    return *known, f"{row.wrong:.3%}" if not row.exact else "none"


def table(rows):
    yield f"{line('', 'bytes', 'built', 'MB to', 'first')}{'million a second':>20}{'wrongly':>9}"
    yield line("", "per key", "in s", "build", "in ms", "absent", "present", "found")
    for row in rows:
        if not row.host:
            yield line(row.name, *cells_of_file(row), *cells_of_host(row))
            continue
        if row.built:
            yield line(row.name, *cells_of_file(row))
        yield line(f"  {row.host}", "", "", "", *cells_of_host(row))


def explanation(demo, rows, left_out):
    approximate = [row.name for row in rows if row.built and not row.exact]
    exact = [row.name for row in rows if row.built and row.exact]
    yield "What they keep"
    yield ""
    yield f"  {', '.join(approximate)}"
    yield "    no hash, but a filter: it says \"certainly not in the list\" or \"maybe\", and"
    yield f"    promises to say maybe to at most {demo.rate:.1%} of what is not in the list"
    if exact:
        yield f"  {', '.join(exact)}"
        yield "    each hash in its 20 bytes, so they are always right"
    for name, reason in left_out.items():
        yield f"  {name} is omitted: {reason}"
    yield ""
    yield "How it was measured"
    yield ""
    yield "  The list is made up, but for ten passwords that everybody knows: its hashes"
    yield "  are as random as SHA-1's, and nothing has to be downloaded."
    yield "  Times are processor time, so the machine's other work does not count. Each"
    yield "  build reads the sorted list from a pipe. Then a program opens the file, which"
    yield f"  lies in memory, reads {demo.questions:,} questions and prints what it finds. The"
    yield "  figure is what this takes beyond one question, the median of three times."
    yield "  All that is in the list was found, and all hosts gave the same answers."


def by_hand(demo, shown):
    """Example queries to try, with the answers of the crivo tool."""
    yield "Ask it yourself"
    yield ""
    yield "  printf %s password | sha1sum | head -c 40 | tr a-f A-F |"
    yield f"    {shown}/crivo query {demo.keep}"
    yield ""
    for word in ("password", "correct horse battery staple"):
        key = hashlib.sha1(word.encode()).hexdigest().upper()
        found = subprocess.run([demo.bin / "crivo", "query", "--quiet", demo.keep, key], check=False).returncode
        yield f"  {word:<30}{key}  {('leaked', 'no')[found]}"


def write_report(demo, rows, left_out, shown):
    lines = [f"{demo.keys:,} leaked passwords, made up: SHA-1 hashes in a list of {41 * demo.keys / 1e9:.3g} GB", "",
             *table(rows), "", *explanation(demo, rows, left_out)]
    if demo.keep:
        lines += ["", *by_hand(demo, shown)]
    paint = pathlib.Path(__file__).parent.parent / "demo" / "paint"
    subprocess.run([paint], input="\n".join(lines) + "\n", text=True, check=True)
