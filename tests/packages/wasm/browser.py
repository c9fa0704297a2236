#!/usr/bin/env python3
"""The page of docs/node.md in a browser: it looks up a million synthetic passwords, and contacts no other host.

usage: browser.py FOLDER TOOLS SOURCES CRIVO; FOLDER has the packed file, CRIVO is the tool. Exits with 77 and a reason
if something that the test needs is missing.
"""
import functools
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import wasm_package
from npm_package import require

PAGE = "docs/node.md"
LEAKED = 1_000_000
ASKED = 10_000
POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'"
QUESTIONS = """
  const leakedToo = (word) => { password.value = word; password.oninput(); return answer.value.startsWith("leaked"); };
  let found = 0, wrong = 0;
  for (let i = 0; i < %d; ++i) {
    found += leakedToo(`secret-${i * 97}`);
    wrong += leakedToo(`absent-${i}`);
  }
  await fetch(`result?${encodeURIComponent(JSON.stringify({ found, wrong }))}`);
</script>""" % ASKED


class Handler(http.server.SimpleHTTPRequestHandler):
    result = None
    finished = threading.Event()

    def do_GET(self):
        if self.path.startswith("/result?"):
            Handler.result = json.loads(urllib.parse.unquote(self.path.partition("?")[2]))
            Handler.finished.set()
        super().do_GET()

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")  # SQLite's OPFS requires these two headers
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_):
        pass


def run_chromium(address, finished):
    """Opens a page, and waits for this event."""
    with tempfile.TemporaryDirectory() as profile, subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", address],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as browser:
        in_time = finished.wait(300)
        browser.terminate()
        require(in_time, f"the page must answer, the browser said\n{browser.stderr.read()}")


def answers_in_chromium(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run_chromium(f"http://127.0.0.1:{server.server_port}/index.html", Handler.finished)
    server.shutdown()
    return Handler.result


def main(packages, tools, sources, crivo):
    with wasm_package.installed(packages, tools, sources) as setting:
        (setting.folder / "leaked.txt").write_text("".join(f"secret-{i}\n" for i in range(LEAKED)), encoding="utf-8")
        markdown = (setting.sources / PAGE).read_text(encoding="utf-8")
        build, = re.findall(r"^crivo (build .*)$", markdown, re.MULTILINE)
        setting.run(crivo, *build.split())
        size = (setting.folder / "leaked.crivo").stat().st_size
        text, = re.findall(r"^```html\n(<!-- index.html.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
        (setting.folder / "index.html").write_text(text.removesuffix("</script>\n") + QUESTIONS, encoding="utf-8")
        answers = answers_in_chromium(setting.folder)
    print(f"{size} bytes for {LEAKED} passwords: {answers}")
    require(answers["found"] == ASKED, f"every leaked password must be found, got {answers['found']} of {ASKED}")
    require(answers["wrong"] < 30, f"one absent password in a thousand may be found, got {answers['wrong']} of {ASKED}")
    require(size < 1_350_000, f"the page says 1.3 MB, got {size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
