// The class Filter, implemented by the functions of exports.h.
import { CrivoError, orderedKey, plainKey } from "./keys.js";
import { BATCH, batchesOf, bytes, checkOptions, decoder, fail, halvesOf, infoOf, reserve, native, openBlob, putBytes, putKey,
  putMany, putPairs, bufferStart, takeBlob, valuesOf, wholeNumber } from "./buffer.js";

const FORMS = ["raw", "mappable"];

const SHARD_NAME_BYTES = 28;

/** The only shard that can have a key, according to the manifest of a sharded filter. */
export function findShard(manifest, key) {
  const source = manifest instanceof ArrayBuffer ? new Uint8Array(manifest) : manifest;
  if (!(source instanceof Uint8Array)) throw new TypeError("manifest must be a Uint8Array or an ArrayBuffer");
  putBytes(source);
  const number = native.find_shard(source.length, putKey(key, plainKey, "key", source.length));
  if (number < 0) fail();
  return { number, name: decoder.decode(bytes.subarray(bufferStart, bufferStart + SHARD_NAME_BYTES)) };
}

/** Validates a rate or a number of bits, and returns it; 0 if it is undefined. */
function positive(name, value) {
  if (value === undefined || value > 0) return value ?? 0;
  throw new CrivoError(`${name} must be a number above 0, got ${String(value)}`);
}

const OPTIONS = ["kind", "capacity", "fpRate", "bitsPerKey", "seed", "maxBytes"];

/** Plans a filter, calls make(plan, the encoder of its keys), and returns the Filter. */
function planned(options, make) {
  checkOptions(options, OPTIONS);
  const { kind = "blocked", capacity = 0, fpRate, bitsPerKey, seed = 0n, maxBytes = 0 } = options;
  if (fpRate !== undefined && bitsPerKey !== undefined) {
    throw new CrivoError(`fpRate must be undefined if bitsPerKey is set, got ${fpRate}`);
  }
  const halves = halvesOf(seed);
  const rates = [positive("fpRate", fpRate), positive("bitsPerKey", bitsPerKey)];
  const limit = wholeNumber("maxBytes", maxBytes);
  const keys = wholeNumber("capacity", capacity);
  const plan = native.plan(putKey(String(kind), plainKey), keys, ...rates, ...halves, limit) || fail();
  try {
    return new Filter(made, make(plan, /^range\b/.test(kind) ? orderedKey : plainKey));
  } finally {
    native.free_plan(plan);
  }
}

/** Builds a filter with the options of `plan` from the keys that collect(builder) adds to the builder. */
function collected(plan, collect) {
  const builder = native.builder(plan) || fail();
  try {
    collect(builder);
    return native.finish(builder);
  } finally {
    native.free_builder(builder);
  }
}

function buildOfPairs(entries, options, name) {
  const { kind = name } = options;
  if (String(kind).split(":")[0] !== name) throw new CrivoError(`kind must be ${name}, got ${kind}`, "unsupported");
  return planned({ ...options, kind }, (plan) => collected(plan, (builder) => {
    putPairs(entries, (count) => native.collect_values(builder, plan, count) || fail());
  }));
}

/** Yields the members of an exact filter with the value 1, and the other keys with 0. */
function* sides(members, others) {
  for (const batch of batchesOf(members, "members")) for (const key of batch) yield [key, 1];
  for (const batch of batchesOf(others, "others")) for (const key of batch) yield [key, 0];
}

const freed = new FinalizationRegistry((filter) => native.close(filter));
const made = Symbol("made");

export class Filter {
  #filter;
  #known;

  constructor(token, filter) {
    if (token !== made) throw new TypeError("a filter must be made by Filter.open, Filter.create or a Filter.build");
    this.#filter = filter || fail();
    this.#known = this.info.can.includes("range") ? orderedKey : plainKey;
    freed.register(this, filter, this);
  }

  static open(blob, options = {}) {
    return openBlob(blob, options, (size, limit) => new Filter(made, native.open(size, limit)));
  }

  static create(options = {}) {
    return planned(options, (plan) => native.create(plan));
  }

  static build(keys, options = {}) {
    return planned(options, (plan, known) => collected(plan, (builder) => {
      putMany(keys, known, (count) => native.collect(builder, plan, count) || fail());
    }));
  }

  static buildMap(entries, options = {}) {
    return buildOfPairs(entries, options, "map");
  }

  static buildExact(members, others, options = {}) {
    return buildOfPairs(sides(members, others), options, "exact");
  }

  get #open() {
    if (this.#filter === 0) throw new CrivoError("filter must not be used after free()");
    return this.#filter;
  }

  has(key) {
    return native.has(this.#open, putKey(key, this.#known)) === 1;
  }

  hasMany(keys) {
    const answers = [];
    putMany(keys, this.#known, (count) => {
      native.has_many(this.#open, count); // iterating over keys may have freed the filter
      for (let i = 0; i < count; ++i) answers.push(bytes[bufferStart + i] === 1);
    });
    return answers;
  }

  hasRange(low, high) {
    if (this.#known !== orderedKey) throw new CrivoError(`kind must be range, got ${this.info.kind}`, "unsupported");
    const ends = [orderedKey(low, "low"), orderedKey(high, "high")];
    putBytes(...ends);
    return native.has_range(this.#open, ends[0].length, ends[1].length) === 1;
  }

  get(key) {
    const value = native.find(this.#open, putKey(key, this.#known));
    if (value === -2) fail();
    return value < 0 ? undefined : value;
  }

  getMany(keys) {
    const answers = [];
    putMany(keys, this.#known, (count) => {
      reserve(8 * BATCH);
      native.find_many(this.#open, count) || fail(); // iterating over keys may have freed the filter
      answers.push(...valuesOf(count));
    });
    return answers;
  }

  count(key) {
    const times = native.count(this.#open, putKey(key, this.#known));
    return times < 0 ? fail() : times;
  }

  add(key) {
    this.addMany([key]);
  }

  addMany(keys) {
    putMany(keys, this.#known, (count) => native.add(this.#open, count) || fail());
  }

  remove(key) {
    native.remove_key(this.#open, putKey(key, this.#known)) || fail();
  }

  advance(time = Date.now()) {
    native.advance(this.#open, wholeNumber("time", time instanceof Date ? time.getTime() : time)) || fail();
  }

  get info() {
    return infoOf(native.facts(this.#open));
  }

  toBytes(form = "raw") {
    if (!FORMS.includes(form)) throw new CrivoError(`form must be one of ${FORMS.join(", ")}, got ${String(form)}`);
    const size = native.write(this.#open, FORMS.indexOf(form)) || fail();
    return takeBlob(size);
  }

  free() {
    freed.unregister(this);
    if (this.#filter !== 0) native.close(this.#filter);
    this.#filter = 0;
  }
}
