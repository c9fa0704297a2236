"""How to run each language: a function that writes the blobs of all cases to the folder place.own. It may return the
key sets that the language does not support, with the reason."""

import os
import pathlib
import shutil
import struct
import subprocess
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


# Reals and their keys by docs/format.md, for the tool, which supports only text.
REALS = {struct.pack("<d", value): key for value, key in [
    (0.1, b"0.1"), (1e-7, b"1e-07"), (1e20, b"1e+20"), (7.0, b"7"), (-0.0, b"0"), (2.0**53, b"9007199254740992"),
    (-(2.0**63), b"-9223372036854775808"), (2.0**63, b"9223372036854775808"), (1e19, b"10000000000000000000"),
    (2.0**64 - 2048, b"18446744073709549568"), (2.0**64, b"18446744073709551616"), (-1e19, b"-1e+19"),
    (5e-324, b"5e-324"), (-(2.0**-1022), b"-2.2250738585072014e-308"), (0.10000000149011612, b"0.10000000149011612"),
    (1.7976931348623157e308, b"1.7976931348623157e+308"), (float("inf"), b"inf"), (float("-inf"), b"-inf")]}
NANS = [struct.pack("<Q", bits) for bits in [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 2**64 - 1]]
KEYS_OF_REALS = {**REALS, **dict.fromkeys(NANS, b"nan")}
SQLITE_LACKS = {"unsigned": "SQLite's integers end at 2^63 - 1", "nan": "SQLite makes NULL of NaN"}


class Missing(Exception):
    """The reason why a language cannot run here."""


class Place:
    def __init__(self, sources, build, cases, own):
        self.sources, self.build, self.cases, self.own = sources, build, cases, own
        self.library = next((build / "tests/consumer/prefix").rglob("crivo-c.pc")).parent.parent  # installed

    def run(self, *command, folder=None, **more):
        environment = {**os.environ, "PATH": "/usr/bin:/bin", "HOME": str(self.own), "GOPROXY": "off",
                       "GOCACHE": str(self.own / "cache"), "PKG_CONFIG_PATH": str(self.library / "pkgconfig"),
                       "LD_LIBRARY_PATH": str(self.library)}
        return subprocess.run([str(each) for each in command], cwd=folder or self.own, env=environment, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout

    def ask(self, *program):
        """Runs a program in the folder of the cases. It writes to the folder of its argument."""
        self.run(*program, self.own, folder=self.cases)

    def flags(self, package):
        return self.run("pkg-config", "--cflags", "--libs", package).decode().split()


def debian_has(program):
    if not pathlib.Path("/usr/bin", program).exists():
        raise Missing(f"no {program} of Debian: ./dev test --all installs it")


def cpp(place):
    place.run("g++", "-std=c++20", "-O1", HERE / "ask.cpp", "-o", "ask", *place.flags("crivo"))
    place.ask(place.own / "ask")


def c(place):
    place.run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", HERE / "ask.c", "-o", "ask",
              *place.flags("crivo-c"))
    place.ask(place.own / "ask")


def python(place):
    """The wheel, unpacked."""
    wheels = list((place.build / "tests/packages/python/wheels").glob("crivo-*.whl"))
    if not wheels:
        raise Missing("no wheel: it is made with -D CRIVO_PYTHON=ON, which ./dev test --all sets")
    zipfile.ZipFile(wheels[0]).extractall(place.own)
    shutil.copy(HERE / "ask.py", place.own)
    place.ask("python3", place.own / "ask.py")


def go(place):
    debian_has("go")
    shutil.copytree(place.sources / "examples/bindings/go", place.own, dirs_exist_ok=True)
    shutil.copy(HERE / "ask.go", place.own / "main.go")
    place.run("go", "build", "-o", "ask", ".")
    place.ask(place.own / "ask")


def rust(place):
    debian_has("rustc")
    shutil.copy(place.sources / "examples/bindings/rust/crivo.rs", place.own)
    place.run("rustc", "--edition", "2021", "--crate-type", "rlib", "crivo.rs")
    place.run("rustc", "--edition", "2021", "--extern", "crivo=libcrivo.rlib", "-L", place.library, HERE / "ask.rs")
    place.ask(place.own / "ask")


def node(place):
    """Through SQL, because the npm package contains the extension."""
    current = place.sources / "build/clients/npm/current/node_modules/.bin/node"
    packed = list((place.build / "tests/packages/npm/packed").glob("crivo-*.tgz"))
    if not current.exists() or not packed:
        raise Missing("no current Node or no npm package: ./dev test --all installs what they need")
    with tarfile.open(packed[0]) as package:
        package.extractall(place.own)
    shutil.copy(HERE / "ask.cjs", place.own)
    place.ask(current, place.own / "ask.cjs")
    return SQLITE_LACKS


def wasm(place):
    packed = list((place.build / "tests/packages/wasm/packed").glob("crivo-wasm-*.tgz"))
    node = shutil.which("node")
    if not packed or not node:
        raise Missing("no Node or no npm package for browsers: ./dev test --all installs what they need")
    with tarfile.open(packed[0]) as package:
        package.extractall(place.own)
    shutil.copy(HERE / "ask.mjs", place.own)
    place.ask(node, place.own / "ask.mjs")


def read_cases(place):
    for line in (place.cases / "cases").read_text(encoding="utf-8").splitlines():
        yield line.split(" ")


def read_keys(path):
    """Yields each key with its type and its value."""
    data, at = path.read_bytes(), 0
    for value in pathlib.Path(f"{path}.values").read_bytes():
        size = struct.unpack_from("<I", data, at + 1)[0]
        yield chr(data[at]), data[at + 5:at + 5 + size], value
        at += 5 + size


def sql(place):
    """Runs a script in the sqlite3 shell."""
    literals = {"t": lambda raw: f"CAST(x'{raw.hex()}' AS TEXT)", "b": lambda raw: f"x'{raw.hex()}'",
                "i": lambda raw: "-9223372036854775807 - 1" if raw == b"-9223372036854775808" else raw.decode(),
                "r": lambda raw: f"ieee754_from_blob(x'{raw[::-1].hex()}')"}
    script = [".bail on", f".load {place.build / 'crivo'}"]
    for path in place.cases.glob("*.keys"):
        script.append(f"CREATE TABLE {path.stem}(key, value);")
        script += [f"INSERT INTO {path.stem} VALUES ({literals[kind](raw)}, {value});"
                   for kind, raw, value in read_keys(path)]
    script.append("INSERT INTO none VALUES (NULL, 0);")  # a row without a key, from which bloom_agg reads its options
    for kind, fp_rate, seed, capacity, keys, blob in read_cases(place):
        signed = int(seed) - (2**64 if int(seed) >= 2**63 else 0)
        made = {"map": f"bloom_raw(bloom_map_agg(key, value, {fp_rate}, {signed}))",
                "exact": f"bloom_raw(bloom_exact_agg(key, value % 2, {fp_rate}, {signed}))",
                "sketch": f"bloom_sketch_agg(key, {capacity}, 'hashes', 0, {signed})"}.get(
            kind, f"bloom_raw(bloom_agg(key, {capacity if capacity != '0' else 'NULL'}, {fp_rate}, '{kind}', {signed}))")
        script.append(f"SELECT writefile('{place.own / blob}', {made}) FROM {pathlib.Path(keys).stem};")
    place.run("sqlite3", ":memory:", input="\n".join(script).encode())
    return SQLITE_LACKS


def tool(place):
    def write(name, lines):
        (place.own / name).write_bytes(b"".join(line + b"\n" for line in lines))

    lacks = {"newline": "a key is a line"}
    for path in place.cases.glob("*.keys"):
        keys = [(KEYS_OF_REALS[raw] if kind == "r" else raw, value) for kind, raw, value in read_keys(path)]
        write(path.stem, [key for key, _ in keys])
        write(f"{path.stem}.pairs", [b"%s\t%d" % pair for pair in keys])
        for bit, side in enumerate(["others", "members"]):
            write(f"{path.stem}.{side}", [key for key, value in keys if value % 2 == bit])
    for kind, fp_rate, seed, capacity, keys, blob in read_cases(place):
        name = pathlib.Path(keys).stem
        if name in lacks:
            continue
        files = {"map": ["--values", f"{name}.pairs"],
                 "exact": ["--absent", f"{name}.others", f"{name}.members"]}.get(kind, [name])
        room = ["--capacity", capacity] if capacity != "0" else []
        filters = ["build", "--raw", "--kind", kind, "--fpr", fp_rate, *room]
        command = ["sketch", "--symbols", capacity] if kind == "sketch" else filters
        place.run(place.build / "crivo", *command, "--quiet", "--seed", seed, "--output", blob, *files)
    return lacks


# Each name is a test: packages.WritesTheSameBlobs/NAME.
ASK = {"cpp": cpp, "c": c, "sql": sql, "tool": tool, "python": python, "node": node, "wasm": wasm, "go": go, "rust": rust}
