// A database of @nxtedition/rocksdb with a filter policy of Crivo's finds its keys and no others, says no to wrong options,
// and names the policy in its OPTIONS file.
// usage: rocksdb.cjs FOLDER
"use strict";
const assert = require("node:assert/strict");
const { readFileSync, readdirSync } = require("node:fs");
require("crivo-rocksdb");
const { RocksLevel } = require("@nxtedition/rocksdb");

const folder = process.argv[2];
const present = Array.from({ length: 20000 }, (_, i) => `key${2 * i}`);
const absent = Array.from({ length: 2000 }, (_, i) => `key${20 * i + 1}`);

async function get(db, key) {
  try {
    return await db.get(key);
  } catch (error) {
    assert.match(String(error), /not found/i);
    return undefined;
  }
}

async function main() {
  for (const policy of ["crivo.Auto:10", "crivo.Ribbon:10:-1", "bloomfilter:10"]) {
    const db = new RocksLevel(folder, { filterPolicy: policy });
    await db.open();
    const batch = db.batch();
    for (const key of present) batch.put(key, `${key} of ${policy}`);
    await batch.write();
    await db.close(); // flushes
    await db.open();
    for (const key of present) assert.equal(await get(db, key), `${key} of ${policy}`);
    for (const key of absent) assert.equal(await get(db, key), undefined);
    await db.close();
    const options = readdirSync(folder).filter((name) => name.startsWith("OPTIONS")).sort().at(-1);
    const text = readFileSync(`${folder}/${options}`, "utf8");
    assert.equal(/filter_policy=(.*)/.exec(text)[1].replace(/:false$/, ""), policy);
  }
  for (const [policy, error] of [
    ["crivo.Auto:-1", /crivo.Auto: bits_per_key must be in \[0, 1000\], got -1/],
    ["crivo.Auto:max_total_bytes:1M", /listeners must contain crivo.FilterCounters/],
  ]) {
    const db = new RocksLevel(folder, { filterPolicy: policy });
    await assert.rejects(db.open(), (thrown) => error.test(String(thrown.cause)));
  }
}

main();
