#!/usr/bin/env python3
"""The page of docs/node.md that asks a filter where it lies: in Chromium, and the same class in Node, from a server that
counts what it sends. A part that is replaced meanwhile is found.

usage: remote.py FOLDER TOOLS SOURCES CRIVO; FOLDER has the packed file, CRIVO is the tool. Exits with 77 and a reason
if something that the test needs is missing.
"""
import functools
import json
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import urllib.parse

import browser
import wasm_package
from npm_package import require, skip

KEYS = 10_000_000
ASKED = 20
MOST_CODE, MOST_FILTER = 250_000, 8192 + 2 * ASKED * (4096 + 512)
QUESTIONS = """
  const asked = Array.from({ length: %d }, (_, i) => i * 7919 + 1);
  const found = await filter.hasMany(asked);
  const wrong = await Promise.all(asked.map((i) => filter.has(`absent ${i}`)));
  const page = { found: found.filter(Boolean).length, wrong: wrong.filter(Boolean).length, info: filter.info.payloadBytes };
  await fetch(`result?${encodeURIComponent(JSON.stringify(page))}`);
</script>""" % ASKED
NODE = """
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { RemoteFilter } from "crivo-wasm/remote";
const [address, crivo] = process.argv.slice(2);
const keys = Array.from({ length: 2000 }, (_, i) => i + 1);
const first = await RemoteFilter.open(`${address}parts.crivo`);
const second = await RemoteFilter.open(`${address}parts.crivo`, { maxMemory: 0 });
assert((await first.hasMany(keys)).every(Boolean));
for (const part of [0, 5, 5]) execFileSync(crivo, ["build", "-q", "--part", String(part), "--kind", "blocked", "-o", "parts.crivo", "more"]);
assert((await second.hasMany(keys)).every(Boolean));  // by the manifest, which is read again
assert((await (await RemoteFilter.open(`${address}parts.crivo`)).hasMany(keys)).every(Boolean));
execFileSync("sh", ["-c", "rm parts.crivo.parts/00003-*"]);
const errors = new Set();
for (const key of keys) await second.has(key).catch(({ message }) => errors.add(message));
assert.equal(errors.size, 1);
assert.match([...errors][0], /parts.crivo.parts\\/00003-[0-9a-f]{16}.crivo must be readable by ranges, got status 404/);
assert.equal(await second.has(7), await first.has(7));
"""


def handler_of(serve):
    class Handler(serve.Handler):
        result = None
        finished = threading.Event()
        sent = {}

        def do_GET(self):
            if self.path.startswith("/result?"):
                Handler.result = json.loads(urllib.parse.unquote(self.path.partition("?")[2]))
                Handler.finished.set()
            super().do_GET()

        def copyfile(self, source, outputfile):
            begin = source.tell()
            super().copyfile(source, outputfile)
            Handler.sent[self.path] = Handler.sent.get(self.path, 0) + source.tell() - begin

    return Handler


def main(packages, tools, sources, crivo):
    for program in "node", "npm", "chromium":
        if shutil.which(program) is None:
            skip(f"no {program}: ./dev test --all installs it")
    sys.path.insert(0, str(pathlib.Path(sources) / "examples/remote"))
    import serve
    Handler = handler_of(serve)
    with tempfile.TemporaryDirectory() as name:
        setting = wasm_package.Setting(packages, tools, sources, name)
        setting.install()
        keys = setting.folder / "keys"
        keys.write_text("".join(f"{i}\n" for i in range(1, KEYS + 1)))
        setting.run(crivo, "build", "-q", "-o", "big.crivo", "keys")
        (setting.folder / "more").write_text("".join(f"{i}\n" for i in range(1, 2_000_001)))
        setting.run(crivo, "build", "-q", "--parts", "8", "--kind", "ribbon", "-o", "parts.crivo", "more")
        markdown = (setting.sources / browser.PAGE).read_text(encoding="utf-8")
        text, = re.findall(r"^```html\n(<!-- remote.html.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
        (setting.folder / "index.html").write_text(text.removesuffix("</script>\n") + QUESTIONS, encoding="utf-8")
        with serve.Server(("127.0.0.1", 0), functools.partial(Handler, directory=name)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/"
            browser.run_chromium(f"{address}index.html", Handler.finished)
            sent = Handler.sent.pop("/big.crivo")
            code = sum(Handler.sent.values())
            (setting.folder / "remote.mjs").write_text(NODE, encoding="utf-8")
            setting.run("node", "remote.mjs", address, crivo)
            server.shutdown()
    answers = Handler.result
    print(f"{answers}: {code} bytes of code, and {sent} of the filter")
    require(answers["found"] == ASKED, f"every key must be found, got {answers}")
    require(answers["wrong"] <= 4, f"few of the others may be found, got {answers}")
    require(sent <= MOST_FILTER, f"the page must fetch at most {MOST_FILTER} bytes of the filter, got {sent}")
    require(code <= MOST_CODE, f"the page must fetch at most {MOST_CODE} bytes of code, got {code}")


if __name__ == "__main__":
    main(*sys.argv[1:])
