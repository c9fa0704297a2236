// Writes the blobs of all cases (same_bytes.py) with npm's package for browsers, unpacked beside it:  ask.mjs FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spell } from "./package/keys.js";
import { Filter, Sketch } from "./package/node.js";

/** The package refuses a number that is an integer beyond 2^53, for others would know it by other digits. */
function readReal(bytes) {
  const value = bytes.readDoubleLE();
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return value >= -(2 ** 63) && value < 2 ** 64 ? BigInt(value) : spell(value);
}

const types = {
  t: (bytes) => bytes.toString(),
  b: (bytes) => bytes,
  i: (bytes) => BigInt(bytes.toString()),
  r: readReal,
};

function* readKeys(data) {
  for (let at = 0, end; at < data.length; at = end) {
    end = at + 5 + data.readUInt32LE(at + 1);
    yield types[String.fromCharCode(data[at])](data.subarray(at + 5, end));
  }
}

function build(keys, values, options) {
  const entries = Array.from(keys, (key, i) => [key, values[i]]);
  const side = (bit) => entries.filter(([, value]) => value % 2 === bit).map(([key]) => key);
  if (options.kind === "map") return Filter.buildMap(entries, options);
  if (options.kind === "exact") return Filter.buildExact(side(1), side(0), options);
  const { kind, seed, capacity } = options;
  if (kind === "sketch") return Sketch.of(entries.map(([key]) => key), { symbols: capacity, seed });
  return Filter.build(entries.map(([key]) => key), options);
}

for (const line of readFileSync("cases", "utf8").trimEnd().split("\n")) {
  const [kind, rate, seed, capacity, keys, blob] = line.split(" ");
  const options = { kind, fpRate: Number(rate), seed: BigInt(seed), capacity: Number(capacity) };
  const filter = build(readKeys(readFileSync(keys)), readFileSync(`${keys}.values`), options);
  writeFileSync(path.join(process.argv[2], blob), filter.toBytes());
}
