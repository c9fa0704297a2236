#!/usr/bin/env python3
"""examples/remote: a filter on a web server is asked as one that lies here, from the few bytes that questions read.

usage: remote.py PROGRAM CRIVO SOURCES    the example's program, the tool, and where the sources are
"""
import functools
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

KEYS = 1_000_000
ASKED = 1_000


def started(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def main(program, crivo, sources):
    if not pathlib.Path(program).exists():
        print("libcurl4-openssl-dev was not installed when this was built")
        return 77
    sys.path.insert(0, str(pathlib.Path(sources) / "examples/remote"))
    import serve
    with tempfile.TemporaryDirectory() as name, serve.serve(name) as server:
        folder = pathlib.Path(name)
        address = started(server)
        (folder / "keys").write_text("".join(f"key {i}\n" for i in range(KEYS)))
        (folder / "numbers").write_text("".join(f"{i}\n" for i in range(KEYS)))
        questions = "".join(f"key {i * 997}\n" for i in range(ASKED)) + "".join(f"absent {i}\n" for i in range(ASKED))

        def run(*words, lines=questions):
            return subprocess.run([program, *words], input=lines, capture_output=True, text=True, timeout=300)

        def refused(message, *words):
            got = run(*words)
            assert got.returncode == 1 and message in got.stderr, f"must be refused for {message}, got {got}"

        def build(kind, *words, keys="keys"):
            subprocess.run([crivo, "build", "-q", "--kind", kind, *words, "-o", "f.crivo", keys], cwd=folder, check=True)

        numbers = "".join(f"{i * 997}\n" for i in range(ASKED)) + "".join(f"-{i + 1}\n" for i in range(ASKED))
        for kind, words in (("blocked", ()), ("ribbon", ()), ("classic", ()), ("cuckoo", ()), ("range:64", ()), ("blocked", ("--parts", "4")),
                            ("ribbon", ("--parts", "64"))):
            is_range = kind.startswith("range")
            build(kind, *words, keys="numbers" if is_range else "keys")
            for options in ((), ("--lines",), ("--one-by-one", "--max-memory", "100000")):
                lines = numbers if is_range else questions
                if "--one-by-one" in options:
                    lines = "".join(lines.splitlines(keepends=True)[::10])
                here = subprocess.run([crivo, "query", "f.crivo"], input=lines, cwd=folder, text=True, stdout=subprocess.PIPE)
                there = run(*options, address + "f.crivo", lines=lines)
                assert there.returncode == 0, there.stderr
                assert there.stdout == here.stdout, f"{kind} {words} {options}: {there.stderr}"
                print(kind, *words, *options, there.stderr.replace("\n", "; "))

        # A question takes one segment and, at first, sums; or a line.
        build("blocked")
        for options, most in ((), 4096 + 512), (("--lines",), 64):
            got = run(*options, address + "f.crivo", lines="key 5\n")
            requests, taken = map(int, re.search(r"1 keys asked by (\d+) requests for (\d+) bytes", got.stderr).groups())
            assert got.stdout == "key 5\n" and taken <= most and requests <= 2, got.stderr

        # What is damaged, lost or not served by ranges is an error.
        data = bytearray((folder / "f.crivo").read_bytes())
        for at in range(64, len(data), 4096):
            data[at] ^= 1
        (folder / "f.crivo").write_bytes(data)
        refused("must match its checksum", address + "f.crivo")
        refused("got status 404", address + "none.crivo")
        refused("magic must be", address + "keys")
        build("ribbon", "--parts", "4")
        for part in (folder / "f.crivo.parts").iterdir():
            part.unlink()
        refused("f.crivo.parts/0000", address + "f.crivo")
        build("blocked")
        plain = serve.Server(("127.0.0.1", 0), functools.partial(Quiet, directory=name))
        refused("its server may not know Range", started(plain) + "f.crivo")
        plain.shutdown()
        plain.server_close()
        refused("connect to server", "http://127.0.0.1:1/f.crivo")
    print("the answers are those of files that lie here")
    return 0


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
