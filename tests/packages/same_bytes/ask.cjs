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

const select = (filter) => db.prepare(`SELECT bloom_raw(${filter}) AS filter FROM keys WHERE file = ?`);
const build = select("bloom_agg(key, ?, ?, ?, ?)");
const withValues = {
  map: select("bloom_map_agg(key, value, ?, ?)"),
  exact: select("bloom_exact_agg(key, value % 2, ?, ?)"),
};
const seen = new Set();
for (const line of readFileSync("cases", "utf8").trimEnd().split("\n")) {
  const [kind, rate, seed, capacity, keys, blob] = line.split(" ");
  if (!seen.has(keys)) insertKeys(keys);
  seen.add(keys);
  const last = [BigInt.asIntN(64, BigInt(seed)), keys];
  const { filter } = kind in withValues
    ? withValues[kind].get(Number(rate), ...last)
    : build.get(BigInt(capacity) || null, Number(rate), kind, ...last);
  writeFileSync(path.join(process.argv[2], blob), filter);
}
