// Every golden blob reads as the filter that it was written from, and equal keys give equal bytes.
// usage: golden.mjs FOLDER; FOLDER has the blobs (tests/golden/golden_set.cpp defines their keys), and questions.json:
// the keys of filters of the kind range, the values of maps, and Python's answers for each blob.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { Filter } from "crivo-wasm";

const folder = process.argv[2];
const asked = JSON.parse(readFileSync("questions.json", "utf8"));
const options = { "spectral-100": ":16", "scalable-100": ":4", "range-100": ":64", "spectral-10000": ":4",
  "window-100": ":1 day/24" };
const narrow = "ribbon32";  // ribbons of width 32
const read = (name) => readFileSync(`${folder}/${name}`);

function rebuilt(family, keys, info) {
  const { capacity, fpRate, seed } = info;
  const option = options[family] ?? (family.startsWith(narrow) ? ":32" : "");
  const like = { kind: info.kind + option, capacity, fpRate, seed };
  const size = Number(family.split("-")[1]);
  if (info.kind === "map") {
    return Filter.buildMap(keys.map((key, i) => [key, asked.values[family][i % size]]), like);
  }
  if (info.kind === "window") {  // the first half of the keys was added in March 2024, and the others six hours later
    const window = Filter.create(like);
    window.advance(new Date("2024-03-01T00:00Z"));
    window.addMany(keys.slice(0, Math.floor(size / 2)));
    window.advance(Date.UTC(2024, 2, 1, 6));
    window.addMany(keys.slice(Math.floor(size / 2)));
    return window;
  }
  if (info.kind !== "exact") return Filter.build(keys, like);
  return Filter.buildExact(keys, Array.from({ length: 20 * size }, (_, i) => `absent-${i}`), like);
}

let blobs = 0;
for (const name of readdirSync(folder).filter((each) => !each.endsWith(".sst"))) {
  const family = name.slice(0, name.indexOf("."));
  const [kind, count] = family.split("-");
  const key = (word, i) => (kind === "range" ? BigInt(asked.range[family][word][i]) : `${word}-${i}`);
  const present = Array.from({ length: Number(count) }, (_, i) => key("present", i));
  const absent = Array.from({ length: 1000 }, (_, i) => key("absent", i));

  const filter = Filter.open(read(name));
  assert.equal(filter.info.kind, kind === narrow ? "ribbon" : kind);
  assert(filter.hasMany(present).every(Boolean), `${name} must have its keys`);
  assert(present.every((each) => filter.has(each)), `${name} must have its keys`);
  if (kind === "map") assert.deepEqual(filter.getMany(present), asked.values[family], `${name} must have its values`);
  const answers = filter.hasMany(absent);
  assert.deepEqual(absent.map((each) => filter.has(each)), answers, name);
  assert.equal(answers.map(Number).join(""), asked.absent[name], `${name} must answer as in Python`);

  const again = [...present, ...present.slice(0, Math.floor(count / 4))];
  const made = name.endsWith(".gap") ? filter : rebuilt(family, again, filter.info);
  const raw = name.endsWith(".gap") ? made.toBytes() : read(`${family}.raw`);
  assert.deepEqual(Buffer.from(made.toBytes()), Buffer.from(raw), `${name} must be built of the same bytes`);
  assert.deepEqual(Buffer.from(filter.toBytes()), Buffer.from(raw), `${name} must be read to the same bytes`);
  if (name.endsWith(".sums")) assert.deepEqual(Buffer.from(filter.toBytes("mappable")), read(name), name);
  ++blobs;
}
assert(blobs > 90, `there must be golden blobs, got ${blobs}`);
