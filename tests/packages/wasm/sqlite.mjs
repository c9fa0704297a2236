// SQLite with the extension built in: it reads golden blobs, writes the same bytes as crivo.so, and supports filter
// tables.
// usage: node sqlite.mjs GOLDEN_BLOBS QUESTION; the file "expected" has the answer of crivo.so, in hexadecimal digits.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import start from "crivo-sqlite-wasm";

const [folder, question] = process.argv.slice(2);
const { oo1 } = await start();
const db = new oo1.DB(":memory:");
const ask = (sql, ...values) => db.selectValue(sql, values.length > 0 ? values : undefined);
assert.equal(ask(question), readFileSync("expected", "latin1"));

let read = 0;
for (const name of readdirSync(folder)) {
  const [kind, count] = name.slice(0, name.indexOf(".")).split("-");
  if (name.endsWith(".sst") || kind === "range") continue;
  const present = Array.from({ length: Number(count) }, (_, i) => `present-${i}`);
  const blob = readFileSync(`${folder}/${name}`);
  if (count > 0) assert.equal(ask("SELECT bloom_contains_all(?, ?)", blob, JSON.stringify(present)), 1, name);
  blob[Math.min(70, blob.length - 1)] ^= 1;
  assert.throws(() => ask("SELECT bloom_contains(?, 1)", blob), /bloom_contains: /, name);
  ++read;
}
assert.ok(read > 20, `${read} golden blobs`);

db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity = 1000, fpr = 1e-9); INSERT INTO seen VALUES ('a'), (7)");
assert.deepEqual(db.selectValues("SELECT key FROM seen WHERE key IN ('a', 'b', 7, 8) ORDER BY key"), [7, "a"]);
assert.throws(() => ask("SELECT bloom_create(100000000000)"), /capacity must fit in/);
