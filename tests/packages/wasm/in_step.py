#!/usr/bin/env python3
"""The recipe of docs/cookbook.md in Chromium: a page and its server on loopback differ in a few notes, and have the
same notes afterwards.

usage: in_step.py FOLDER TOOLS SOURCES; FOLDER has the packed file. Exits with 77 and a reason if something that the
test needs is missing.
"""
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import wasm_package
from npm_package import require

NOTES, SERVER_ONLY, PAGE_ONLY = 10_000, 7, 5
MOST_BYTES = 12_000  # of sketches, for differences of 10 and 40
BEFORE = """<script>
  const note = (i) => [i.toString(16).padStart(32, "0"), `note ${i}`];
  localStorage.notes = JSON.stringify(Array.from({ length: %d }, (_, i) => note(i + %d)));
</script>
""" % (NOTES - SERVER_ONLY + PAGE_ONLY, SERVER_ONLY)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def blocks(sources):
    recipe = (sources / "docs/cookbook.md").read_text(encoding="utf-8").partition("## Synchronize a page")[2]
    return [re.search(rf"^```{language}\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)[1]
            for language in ("javascript", "html")]


def page_says(port):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--virtual-time-budget=60000", "--dump-dom", f"http://127.0.0.1:{port}/"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=250, check=False)
    return re.search(r'<output id="said">(.*?)</output>', done.stdout, re.DOTALL)[1], done.stderr


def notes_of_server(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/add", b"[]") as answer:
        return json.load(answer)["notes"]


def wait_for(server, port):
    for _ in range(100):
        require(server.poll() is None, "the server must go on running")
        try:
            return notes_of_server(port)
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server must answer within ten seconds")


def main(packages, tools, sources):
    with wasm_package.installed(packages, tools, sources) as setting:
        server_text, page_text = blocks(setting.sources)
        port = free_port()
        require("listen(8000," in server_text, "the server must listen on port 8000")
        notes = [[f"{i:032x}", f"note {i}"] for i in range(NOTES)]
        (setting.folder / "notes.json").write_text(json.dumps(notes), encoding="utf-8")
        (setting.folder / "server.mjs").write_text(server_text.replace("8000", str(port)), encoding="utf-8")
        (setting.folder / "page.html").write_text(BEFORE + page_text, encoding="utf-8")
        with subprocess.Popen(["node", "server.mjs"], cwd=setting.folder, stdin=subprocess.DEVNULL) as server:
            try:
                wait_for(server, port)
                said, errors = page_says(port)
                both = NOTES + PAGE_ONLY
                found = re.fullmatch(rf"{both} notes after (\d+) bytes of sketches", said)
                require(found, f"the page must have {both} notes, got {said!r}; the browser said\n{errors}")
                require(int(found[1]) < MOST_BYTES, f"sketches must take few bytes, got {found[1]}")
                require(notes_of_server(port) == both, "the server must have the page's notes, too")
                for path in "/notes.json", "/../notes.json", "/node_modules/crivo-wasm/../../notes.json":
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                        require(b"said" in answer.read(), f"{path} must be the page")
            finally:
                server.terminate()
    print(said)


if __name__ == "__main__":
    main(*sys.argv[1:])
