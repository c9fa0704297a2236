// better-sqlite3, through require().
const assert = require("node:assert/strict");
const Database = require("better-sqlite3");
const crivo = require("crivo");

const db = new Database(":memory:");
assert.equal(crivo.load(db), undefined);
assert.equal(db.prepare("SELECT crivo_version()").pluck().get(), require("crivo/package.json").version);

db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000, fpr=0.001)");
const seen = db.prepare("SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)").pluck();
for (const key of ["ann", 7, 2n ** 62n, Buffer.from([0, 255])]) {
  assert.equal(seen.get(key), 0);
  db.prepare("INSERT INTO seen(key) VALUES (?)").run(key);
  assert.equal(seen.get(key), 1);
}

db.close();
assert.throws(() => crivo.load(db), /not open/);
