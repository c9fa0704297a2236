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
db.exec("CREATE TABLE keys(file, key, value)");
const insert = db.prepare("INSERT INTO keys VALUES (?, ?, ?)");

function insertKeys(file) {
  const data = readFileSync(file);
  insert.run(file, null, 0n); // no key, but a row, from which the aggregate functions take their options
  let at = 0;
  for (const value of readFileSync(`${file}.values`)) {
    const end = at + 5 + data.readUInt32LE(at + 1);
    insert.run(file, types[String.fromCharCode(data[at])](data.subarray(at + 5, end)), BigInt(value));
    at = end;
  }
}

const select = (made) => db.prepare(`SELECT ${made} AS blob FROM keys WHERE file = ?`);
const build = select("bloom_raw(bloom_agg(key, ?, ?, ?, ?))");
const withValues = {
  map: select("bloom_raw(bloom_map_agg(key, value, ?, ?))"),
  exact: select("bloom_raw(bloom_exact_agg(key, value % 2, ?, ?))"),
};
const sketch = select("bloom_sketch_agg(key, ?, 'hashes', 0, ?)");
const seen = new Set();
for (const line of readFileSync("cases", "utf8").trimEnd().split("\n")) {
  const [kind, rate, seed, capacity, keys, blob] = line.split(" ");
  if (!seen.has(keys)) insertKeys(keys);
  seen.add(keys);
  const last = [BigInt.asIntN(64, BigInt(seed)), keys];
  const row = kind === "sketch" ? sketch.get(BigInt(capacity), ...last)
    : kind in withValues ? withValues[kind].get(Number(rate), ...last)
    : build.get(BigInt(capacity) || null, Number(rate), kind, ...last);
  writeFileSync(path.join(process.argv[2], blob), row.blob);
}
