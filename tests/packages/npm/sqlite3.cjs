// The module sqlite3: a promise, a callback, or neither awaited; each error arrives where the caller waits for it.
const assert = require("node:assert/strict");
const { promisify } = require("node:util");
const sqlite3 = require("sqlite3");
const crivo = require("crivo");

const version = (db) => promisify(db.get).call(db, "SELECT crivo_version() AS it");
const opened = () => new sqlite3.Database(":memory:");

async function main() {
  const { version: packed } = require("crivo/package.json");
  const awaited = opened();
  assert.equal(await crivo.load(awaited), undefined);
  assert.equal((await version(awaited)).it, packed);

  const called = opened();
  assert.equal(await new Promise((resolve) => assert.equal(crivo.load(called, resolve), undefined)), null);
  assert.equal((await version(called)).it, packed);

  // A statement that is run at once waits for the load.
  const hasty = opened();
  const loaded = crivo.load(hasty);
  assert.equal((await version(hasty)).it, packed);
  await loaded;

  const closed = opened();
  await promisify(closed.close).call(closed);
  await assert.rejects(async () => crivo.load(closed), /SQLITE_MISUSE/);
  const failing = opened();
  const native = failing.loadExtension;
  failing.loadExtension = (file, callback) => native.call(failing, "/nowhere", callback);
  await assert.rejects(crivo.load(failing), /cannot open shared object file/);
  const error = await new Promise((resolve) => crivo.load(failing, resolve));
  assert.match(error.message, /cannot open shared object file/);
}

main();
