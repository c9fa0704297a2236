// node:sqlite in a current Node: loads the extension, disables further extensions, and reports errors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import * as crivo from "crivo";

const opened = () => new DatabaseSync(":memory:", { allowExtension: true });

// The package and the extension have the same version.
const db = opened();
assert.equal(crivo.load(db), undefined);
const { version } = createRequire(import.meta.url)("crivo/package.json");
assert.equal(db.prepare("SELECT crivo_version() AS it").get().it, version);

// A filter in a column, with keys as text, number, BigInt and bytes.
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

// After load(), successful or not, neither JavaScript nor SQL can load a file.
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

// The extension can be loaded again, and into a second connection.
crivo.load(db);
crivo.load(opened());

const advice = /crivo: the database must be open, and made by new DatabaseSync\(path, \{ allowExtension: true \}\)/;
assert.throws(() => crivo.load(new DatabaseSync(":memory:")), advice);
const closed = opened();
closed.close();
assert.throws(() => crivo.load(closed), advice);

// Values that are not databases, and their names in the error.
for (const [what, name] of [[undefined, "undefined"], [null, "null"], ["seen.db", "seen\\.db"],
  [{}, "an object of Object"], [Object.create(null), "an object of undefined"]]) {
  const message = new RegExp(`^crivo: db must be .*, got ${name}$`);
  assert.throws(() => crivo.load(what), { name: "TypeError", message });
}

// Both entry points are the same module, and the path is that of the package's file.
assert.equal(createRequire(import.meta.url)("crivo").load, crivo.load);
assert.equal(readFileSync(crivo.getLoadablePath()).subarray(1, 4).toString(), "ELF");
