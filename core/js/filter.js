// The class Filter, on the functions of exports.h, which says what lies where in the room.
import { CrivoError, keyOf, mostBytes, writeKey } from "./keys.js";

export { CrivoError };

const BATCH = 512;
const SIZES = 4 * BATCH; // the bytes in front of many keys
const MOST_DIGITS = 32;
const NUMBERS = 10; // of info
const CODES = ["bad argument", "corrupt", "incompatible", "unsupported", "full", "not found", "too large", "cancelled",
  "system error", "out of memory"];
const ABILITIES = ["add", "remove", "count", "unite", "intersect", "grow", "range", "find", "exact"];
const FORMS = ["raw", "mappable"];
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const DEFAULT_MAX_BYTES = 2 ** 30;

const decoder = new TextDecoder();
let native; // the functions of exports.h, and the memory that they use
let bytes; // this memory
let room = 0; // where it lies there
let roomBytes = 0;

/** Before anything else: the functions of exports.h, and `memory`, whose `buffer` has the room. */
export function use(functions) {
  native = functions;
  memoryMoved();
}

/** The memory's buffer is another one now. */
export function memoryMoved() {
  bytes = new Uint8Array(native.memory.buffer);
}

function askForRoom(needed, wanted = needed) {
  const got = native.room(wanted) ? wanted : needed;
  room = native.room(got) || fail();
  if (bytes.buffer !== native.memory.buffer) memoryMoved();
  roomBytes = got;
}

function makeRoom(needed) {
  if (needed > roomBytes) askForRoom(needed, Math.max(needed, 2 * roomBytes, 1 << 12));
}

/** For what C++ puts into the room. */
function roomMoved() {
  askForRoom(roomBytes);
}

function leaveRoom() {
  native.leave();
  room = roomBytes = 0;
}

function fail() {
  const code = CODES[native.code()];
  const size = native.message();
  roomMoved();
  const text = decoder.decode(bytes.subarray(room, room + size)) || code;
  const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  throw new CrivoError(text.replace(/^(fp_rate|bits_per_key|max_bytes)\b/, camelCase), code);
}

/** Puts a key at this place in the room, and returns its bytes. Nothing of the caller's runs meanwhile. */
function putKey(key, ordered, index = "key", at = 0) {
  if (!ordered && Number.isSafeInteger(key)) {
    makeRoom(at + MOST_DIGITS);
    return native.put_integer(at, key);
  }
  const known = keyOf(key, ordered, index);
  makeRoom(at + mostBytes(known));
  return writeKey(known, bytes, room + at, index);
}

const sizes = new Uint32Array(BATCH);
const sizesAsBytes = new Uint8Array(sizes.buffer);

function putBatch(keys, ordered, first) {
  let used = SIZES;
  for (let i = 0; i < keys.length; ++i) {
    const size = putKey(keys[i], ordered, first + i, used);
    sizes[i] = size;
    if (sizes[i] !== size) throw new CrivoError(`keys[${first + i}] must be shorter than 2^32 bytes, got ${size}`);
    used += size;
  }
  bytes.set(sizesAsBytes, room);
  return used;
}

const MOST_VALUE = 2 ** 32 - 1;
const values = new Uint32Array(BATCH);

/** Puts keys and their values into the room, and calls take(count) for each batch of them. */
function putPairs(entries, take) {
  let first = 0;
  for (const batch of batchesOf(entries, "entries")) {
    const keys = batch.map((entry, i) => {
      if (!Array.isArray(entry) || entry.length !== 2) {
        throw new TypeError(`entries[${first + i}] must be an array of a key and a value, got ${String(entry)}`);
      }
      return entry[0];
    });
    batch.forEach(([, value], i) => {
      if (Number.isInteger(value) && value >= 0 && value <= MOST_VALUE) return void (values[i] = value);
      throw new CrivoError(`entries[${first + i}] must have a value from 0 to 2^32 - 1, got ${String(value)}`);
    });
    const used = putBatch(keys, false, first);
    makeRoom(used + values.byteLength);
    bytes.set(new Uint8Array(values.buffer), room + used);
    take(batch.length);
    first += batch.length;
  }
}

/** Some keys at a time, in arrays of their own. */
function* batchesOf(keys, name = "keys") {
  if (typeof keys === "string" || keys instanceof Uint8Array || typeof keys?.[Symbol.iterator] !== "function") {
    throw new TypeError(`${name} must be an iterable of ${name}, got ${typeof keys}`);
  }
  if (Array.isArray(keys)) {
    for (let first = 0; first < keys.length; first += BATCH) yield keys.slice(first, first + BATCH);
    return;
  }
  let batch = [];
  for (const key of keys) {
    if (batch.push(key) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Puts keys into the room, and calls take(count) for each batch of them. */
function putMany(keys, ordered, take) {
  let first = 0;
  for (const batch of batchesOf(keys)) {
    putBatch(batch, ordered, first);
    take(batch.length);
    first += batch.length;
  }
}

function wholeNumber(name, value) {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new CrivoError(`${name} must be a whole number of at most 2^53, got ${String(value)}`);
}

/** A rate or a number of bits; absent is 0. */
function positive(name, value) {
  if (value === undefined || value > 0) return value ?? 0;
  throw new CrivoError(`${name} must be a number above 0, got ${String(value)}`);
}

const OPTIONS = ["kind", "capacity", "fpRate", "bitsPerKey", "seed", "maxBytes"];

/** Calls make(plan, whether the keys are ordered), and returns the filter. */
function planned(options, make) {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`options must be among ${OPTIONS.join(", ")}, got ${unknown}`);
  const { kind = "blocked", capacity = 0, fpRate, bitsPerKey, seed = 0n, maxBytes = 0 } = options;
  if (fpRate !== undefined && bitsPerKey !== undefined) {
    throw new CrivoError(`fpRate must not be given where bitsPerKey is, got ${fpRate}`);
  }
  const wholeSeed = BigInt(seed);
  if (BigInt.asUintN(64, wholeSeed) !== wholeSeed) throw new CrivoError(`seed must be from 0 to 2^64 - 1, got ${seed}`);
  const rates = [positive("fpRate", fpRate), positive("bitsPerKey", bitsPerKey)];
  const limit = wholeNumber("maxBytes", maxBytes);
  const keys = wholeNumber("capacity", capacity);
  const halves = [Number(wholeSeed >> 32n), Number(wholeSeed & 0xffffffffn)];
  const plan = native.plan(putKey(String(kind), false), keys, ...rates, ...halves, limit) || fail();
  try {
    return new Filter(made, make(plan, /^range\b/.test(kind)));
  } finally {
    native.drop(plan);
  }
}

function buildOfPairs(entries, options, name) {
  const { kind = name } = options;
  if (String(kind).split(":")[0] !== name) throw new CrivoError(`kind must be ${name}, got ${kind}`, "unsupported");
  return planned({ ...options, kind }, (plan) => {
    const builder = native.builder(plan) || fail();
    try {
      putPairs(entries, (count) => native.collect_values(builder, plan, count) || fail());
      return native.finish(builder);
    } finally {
      native.drop_builder(builder);
    }
  });
}

/** The members of an exact filter, each with the value 1, and the other keys with 0. */
function* sides(members, others) {
  for (const batch of batchesOf(members, "members")) for (const key of batch) yield [key, 1];
  for (const batch of batchesOf(others, "others")) for (const key of batch) yield [key, 0];
}

const freed = new FinalizationRegistry((filter) => native.close(filter));
const made = Symbol("made");

export class Filter {
  #filter;
  #ordered;

  constructor(token, filter) {
    if (token !== made) throw new TypeError("a filter must be made by Filter.open, Filter.create or a Filter.build");
    this.#filter = filter || fail();
    this.#ordered = this.info.can.includes("range");
    freed.register(this, filter, this);
  }

  static open(blob, { maxBytes = DEFAULT_MAX_BYTES } = {}) {
    const source = blob instanceof ArrayBuffer ? new Uint8Array(blob) : blob;
    if (!(source instanceof Uint8Array)) throw new TypeError("blob must be a Uint8Array or an ArrayBuffer");
    const limit = wholeNumber("maxBytes", maxBytes);
    try {
      makeRoom(source.length);
      bytes.set(source, room);
      return new Filter(made, native.open(source.length, limit));
    } finally {
      leaveRoom();
    }
  }

  static create(options = {}) {
    return planned(options, (plan) => native.create(plan));
  }

  static build(keys, options = {}) {
    return planned(options, (plan, ordered) => {
      const builder = native.builder(plan) || fail();
      try {
        putMany(keys, ordered, (count) => native.collect(builder, plan, count) || fail());
        return native.finish(builder);
      } finally {
        native.drop_builder(builder);
      }
    });
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
    return native.has(this.#open, putKey(key, this.#ordered)) === 1;
  }

  hasMany(keys) {
    const answers = [];
    putMany(keys, this.#ordered, (count) => {
      native.has_many(this.#open, count); // which keys may have freed meanwhile
      for (let i = 0; i < count; ++i) answers.push(bytes[room + i] === 1);
    });
    return answers;
  }

  hasRange(low, high) {
    if (!this.#ordered) throw new CrivoError(`kind must be range, got ${this.info.kind}`, "unsupported");
    const ends = [keyOf(low, true, "low"), keyOf(high, true, "high")];
    makeRoom(ends[0].length + ends[1].length);
    bytes.set(ends[0], room);
    bytes.set(ends[1], room + ends[0].length);
    return native.has_range(this.#open, ends[0].length, ends[1].length) === 1;
  }

  get(key) {
    const value = native.find(this.#open, putKey(key, this.#ordered));
    if (value === -2) fail();
    return value < 0 ? undefined : value;
  }

  getMany(keys) {
    const answers = [];
    putMany(keys, this.#ordered, (count) => {
      makeRoom(8 * BATCH);
      native.find_many(this.#open, count) || fail(); // which keys may have freed meanwhile
      const found = new DataView(bytes.buffer, room, 8 * count);
      for (let i = 0; i < count; ++i) {
        const value = found.getFloat64(8 * i, LITTLE_ENDIAN);
        answers.push(value < 0 ? undefined : value);
      }
    });
    return answers;
  }

  count(key) {
    const times = native.count(this.#open, putKey(key, this.#ordered));
    return times < 0 ? fail() : times;
  }

  add(key) {
    this.addMany([key]);
  }

  addMany(keys) {
    putMany(keys, this.#ordered, (count) => native.add(this.#open, count) || fail());
  }

  remove(key) {
    native.remove_key(this.#open, putKey(key, this.#ordered)) || fail();
  }

  get info() {
    const nameBytes = native.facts(this.#open);
    roomMoved();
    const numbers = new Float64Array(native.memory.buffer, room, NUMBERS);
    const [capacity, fpRate, keys, units, k, param, payloadBytes, can, seedHigh, seedLow] = numbers;
    const kind = decoder.decode(bytes.subarray(room + 8 * NUMBERS, room + 8 * NUMBERS + nameBytes));
    const abilities = ABILITIES.filter((_, bit) => (can >> bit) & 1);
    const seed = (BigInt(seedHigh) << 32n) + BigInt(seedLow);
    return { kind, capacity, fpRate, keys, units, k, param, seed, payloadBytes, can: abilities };
  }

  toBytes(form = "raw") {
    if (!FORMS.includes(form)) throw new CrivoError(`form must be one of ${FORMS.join(", ")}, got ${String(form)}`);
    const size = native.write(this.#open, FORMS.indexOf(form)) || fail();
    roomMoved();
    const blob = bytes.slice(room, room + size);
    leaveRoom();
    return blob;
  }

  free() {
    freed.unregister(this);
    if (this.#filter !== 0) native.close(this.#filter);
    this.#filter = 0;
  }
}
