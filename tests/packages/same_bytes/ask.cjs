// Writes the blobs of all cases (same_bytes.py) through SQL, with the npm package unpacked beside it:  ask.cjs FOLDER
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { DatabaseSync } = require("node:sqlite");
const { load } = require("./package");

function readInteger(bytes) {
  const value = BigInt(bytes.toString());
  return value < 2n ** 63n ? value : Number(value); // SQLite has no larger integer
}

const types = {
  t: (bytes) => bytes.toString(),
  b: (bytes) => bytes,
  i: readInteger,
  r: (bytes) => bytes.readDoubleLE(),
};

const db = new DatabaseSync(":memory:", { allowExtension: true });
load(db);
db.exec("CREATE TABLE keys(file, key)");
const insert = db.prepare("INSERT INTO keys VALUES (?, ?)");

function insertKeys(file) {
  const data = readFileSync(file);
  insert.run(file, null); // no key, but a row, from which bloom_agg takes its options
  for (let at = 0, end; at < data.length; at = end) {
    end = at + 5 + data.readUInt32LE(at + 1);
    insert.run(file, types[String.fromCharCode(data[at])](data.subarray(at + 5, end)));
  }
}

const build = db.prepare("SELECT bloom_raw(bloom_agg(key, ?, ?, ?, ?)) AS filter FROM keys WHERE file = ?");
const seen = new Set();
for (const line of readFileSync("cases", "utf8").trimEnd().split("\n")) {
  const [kind, rate, seed, capacity, keys, blob] = line.split(" ");
  if (!seen.has(keys)) insertKeys(keys);
  seen.add(keys);
  const { filter } = build.get(BigInt(capacity) || null, Number(rate), kind, BigInt.asIntN(64, BigInt(seed)), keys);
  writeFileSync(path.join(process.argv[2], blob), filter);
}
