#!/usr/bin/env python3
"""The recipe of docs/cookbook.md in Chromium: a page queries a sharded filter of 40 million keys on a static file
server. It fetches the manifest, and one shard for each key. Node finds the same shards.

usage: sharded.py FOLDER TOOLS SOURCES CRIVO; FOLDER has the packed file, CRIVO is the tool. Exits with 77 and a reason
if something that the test needs is missing.
"""
import functools
import json
import re
import subprocess
import sys
import threading
import urllib.parse
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import browser
import wasm_package
from npm_package import require

ASKED = 20
MANIFEST_BYTES = 64 + 40 * 1024
MOST_SHARD_BYTES = 110_000
QUESTIONS = """
  let found = 0, wrong = 0;
  for (let i = 1; i <= %d; ++i) {
    found += await has(String(i * 7919));
    wrong += await has(`absent ${i}`);
  }
  await fetch(`result?${encodeURIComponent(JSON.stringify({ found, wrong }))}`);
</script>""" % ASKED
NODE = """
import assert from "node:assert/strict";
import { readFileSync, existsSync } from "node:fs";
import { findShard } from "crivo-wasm";
const manifest = readFileSync("big.crivo");
for (const key of [7, 7n, "7", new Uint8Array([0x37])]) {
  const { number, name } = findShard(manifest, key);
  assert.equal(name.slice(0, 5), String(number).padStart(5, "0"));
  assert(existsSync(`big.crivo.shards/${name}`));
  assert.deepEqual(findShard(manifest, "7"), { number, name });
}
assert.throws(() => findShard(manifest.subarray(0, 100), "7"), { code: "corrupt" });
assert.throws(() => findShard("manifest", "7"), TypeError);
"""


class Handler(SimpleHTTPRequestHandler):
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
        Handler.sent.setdefault(self.path, []).append(source.tell() - begin)

    def log_message(self, *_):
        pass


def main(packages, tools, sources, crivo):
    with wasm_package.installed(packages, tools, sources) as setting:
        recipe = (setting.sources / "docs/cookbook.md").read_text(encoding="utf-8").partition("## A page that queries")[2]
        build, page = (re.search(rf"^```{language}\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)[1]
                       for language in ("sh", "html"))
        command = build.replace("crivo build", f"'{crivo}' build")
        subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=setting.folder, check=True)
        (setting.folder / "index.html").write_text(page.removesuffix("</script>\n") + QUESTIONS, encoding="utf-8")
        (setting.folder / "shards.mjs").write_text(NODE, encoding="utf-8")
        setting.run("node", "shards.mjs")
        with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=setting.folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser.run_chromium(f"http://127.0.0.1:{server.server_port}/index.html", Handler.finished)
            server.shutdown()
    shards = {path: sizes for path, sizes in Handler.sent.items() if path.startswith("/big.crivo.shards/")}
    largest = max(max(sizes) for sizes in shards.values())
    fetched = sum(map(sum, shards.values()))
    print(f"{Handler.result}: {len(shards)} shards, {fetched} bytes, at most {largest}; "
          f"manifest {Handler.sent['/big.crivo']}")
    require(Handler.result["found"] == ASKED, f"every key must be found, got {Handler.result}")
    require(Handler.result["wrong"] == 0, f"one absent key in a million may be found, got {Handler.result}")
    require(Handler.sent["/big.crivo"] == [MANIFEST_BYTES], f"the manifest must be fetched once, {MANIFEST_BYTES} bytes")
    require(largest <= MOST_SHARD_BYTES, f"a shard must have at most {MOST_SHARD_BYTES} bytes, got {largest}")
    require(sum(map(len, shards.values())) <= 2 * ASKED, f"a key must take one shard, got {shards}")


if __name__ == "__main__":
    main(*sys.argv[1:])
