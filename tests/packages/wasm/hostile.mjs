// Bytes that are not a filter get a CrivoError, never a trap, and do not affect existing filters.
// usage: hostile.mjs HOSTILE GOLDEN; the folders tests/golden/hostile and tests/golden/blobs
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { CrivoError, Filter } from "crivo-wasm";

const [hostile, golden] = process.argv.slice(2);
const kept = Filter.build(["ada", "grace"]);
const harmless = { name: "CrivoError", code: /^(corrupt|too large|out of memory)$/ };

function refused(blob, name, options) {
  assert.throws(() => Filter.open(blob, options), harmless, name);
}

/** Opens damaged bytes. If they are still a filter, it must support lookups and additions. */
function survive(blob) {
  try {
    const filter = Filter.open(blob, { maxBytes: 2 ** 20 });
    filter.hasMany(filter.info.kind === "range" ? [1, 2n ** 60n] : ["a", "b"]);
    filter.toBytes();
    filter.free();
    return 1;
  } catch (error) {
    assert(error instanceof CrivoError, error.stack);
    return 0;
  }
}

for (const name of readdirSync(hostile).filter((each) => each.endsWith(".blob"))) {
  refused(readFileSync(`${hostile}/${name}`), name, { maxBytes: 2 ** 20 });
}
for (const name of readdirSync(golden).filter((each) => /-100\.(raw|zstd|gap|sums)$/.test(each))) {
  const blob = readFileSync(`${golden}/${name}`);
  for (let size = 0; size < blob.length; size += 1 + (size >> 4)) {
    refused(blob.subarray(0, size), `${name} cut to ${size}`);
  }
  for (let at = 0; at < blob.length; at += 1 + (at >> 5)) {
    const damaged = Uint8Array.from(blob);
    damaged[at] ^= 1 << at % 8;
    assert.equal(survive(damaged), 0, `${name} with bit ${at % 8} of byte ${at} flipped`);
  }
}

// Exhausted memory is an error too, and existing filters stay.
const large = [];
assert.throws(() => {
  for (;;) large.push(Filter.create({ capacity: 2 ** 28 }));
}, { code: "out of memory" });
assert(large.length > 1, `there must be room for some filters, got ${large.length}`);
for (const filter of large) filter.free();
assert.equal(Filter.create({ capacity: 2 ** 28 }).has("x"), false);
assert.throws(() => Filter.create({ capacity: 2 ** 40 }), { code: /^(too large|out of memory)$/ });
assert.deepEqual(kept.hasMany(["ada", "grace", "eve"]), [true, true, false]);
