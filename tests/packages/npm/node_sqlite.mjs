// node:sqlite, of a current Node: loads, leaves extensions off, and says what is missing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import * as crivo from "crivo";

const opened = () => new DatabaseSync(":memory:", { allowExtension: true });

// The package's version is the extension's.
const db = opened();
assert.equal(crivo.load(db), undefined);
const { version } = createRequire(import.meta.url)("crivo/package.json");
assert.equal(db.prepare("SELECT crivo_version() AS it").get().it, version);

// A filter that is a column, with keys as text, number, BigInt and bytes.
db.exec("CREATE TABLE filters(f BLOB)");
db.exec("INSERT INTO filters SELECT bloom_create(1000)");
const add = db.prepare("UPDATE filters SET f = bloom_add(f, ?)");
const ask = db.prepare("SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?) AS maybe");
for (const key of ["ann", 7, 2n ** 62n, new Uint8Array([0, 255])]) {
  assert.equal(ask.get(key).maybe, 0);
  add.run(key);
  assert.equal(ask.get(key).maybe, 1);
}
assert.equal(ask.get("7").maybe, 1); // 7, 7.0 and '7' are one key

// Neither JavaScript nor SQL loads a file afterwards, whether the load succeeded or not.
const refuses = (each) => {
  assert.throws(() => each.loadExtension(crivo.getLoadablePath()), { code: "ERR_INVALID_STATE" });
  assert.throws(() => each.prepare("SELECT load_extension(?)").get(crivo.getLoadablePath()), /not authorized/);
};
refuses(db);
const failing = opened();
const native = failing.loadExtension;
failing.loadExtension = () => native.call(failing, "/nowhere.so");
assert.throws(() => crivo.load(failing), { code: "ERR_LOAD_SQLITE_EXTENSION" });
delete failing.loadExtension;
refuses(failing);

// It can be loaded a second time, and into a second connection.
crivo.load(db);
crivo.load(opened());

const advice = /crivo: the database must be open, and made by new DatabaseSync\(path, \{ allowExtension: true \}\)/;
assert.throws(() => crivo.load(new DatabaseSync(":memory:")), advice);
const closed = opened();
closed.close();
assert.throws(() => crivo.load(closed), advice);

// What is no database, as each spelling of it.
for (const [what, name] of [[undefined, "undefined"], [null, "null"], ["seen.db", "seen\\.db"],
  [{}, "an object of Object"], [Object.create(null), "an object of undefined"]]) {
  const message = new RegExp(`^crivo: db must be .*, got ${name}$`);
  assert.throws(() => crivo.load(what), { name: "TypeError", message });
}

// Both entries are one module, and the file is the one that the package holds.
assert.equal(createRequire(import.meta.url)("crivo").load, crivo.load);
assert.equal(readFileSync(crivo.getLoadablePath()).subarray(1, 4).toString(), "ELF");
