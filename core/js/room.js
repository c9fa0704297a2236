// The shared buffer (`room`), in which JavaScript and the functions of exports.h exchange everything except numbers;
// exports.h defines its layout. `native`, `bytes` and `room` are live bindings, so importers see their current values.
import { CrivoError, mostBytes, plainKey, writeKey } from "./keys.js";

export const BATCH = 512;
const SIZES = 4 * BATCH; // the size of a batch's header
const MOST_DIGITS = 32;
const DEFAULT_MAX_BYTES = 2 ** 30;
const NUMBERS = 10; // how many numbers native.facts writes
const ABILITIES = ["add", "remove", "count", "unite", "intersect", "grow", "range", "find", "exact", "advance"];
const CODES = ["bad argument", "corrupt", "incompatible", "unsupported", "full", "not found", "too large", "cancelled",
  "system error", "out of memory"];
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export const decoder = new TextDecoder();
export let native; // the functions of exports.h, and their memory
export let bytes; // a view of this memory
export let room = 0; // the position of the shared buffer in this memory
let roomBytes = 0;

/** Call first. `functions` has those of exports.h, and `memory`, whose `buffer` contains the shared buffer (`room`). */
export function use(functions) {
  native = functions;
  memoryMoved();
}

/** Call when the memory's buffer was replaced. */
export function memoryMoved() {
  bytes = new Uint8Array(native.memory.buffer);
}

function askForRoom(needed, wanted = needed) {
  const got = native.room(wanted) ? wanted : needed;
  room = native.room(got) || fail();
  // WebAssembly truncates sizes to 32 bits.
  const isThere = room + got <= native.memory.buffer.byteLength;
  if (!isThere) throw new CrivoError("keys and blobs must fit in memory", "out of memory");
  if (bytes.buffer !== native.memory.buffer) memoryMoved();
  roomBytes = got;
}

export function makeRoom(needed) {
  if (needed > roomBytes) askForRoom(needed, Math.max(needed, 2 * roomBytes, 1 << 12));
}

/** Call before reading what C++ wrote to the shared buffer (`room`): the buffer may have moved. */
export function roomMoved() {
  askForRoom(roomBytes);
}

export function leaveRoom() {
  native.leave();
  room = roomBytes = 0;
}

export function fail() {
  const code = CODES[native.code()];
  const size = native.message();
  roomMoved();
  const text = decoder.decode(bytes.subarray(room, room + size)) || code;
  const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  throw new CrivoError(text.replace(/^(fp_rate|bits_per_key|max_bytes)\b/, camelCase), code);
}

/** Writes a key at this offset of the shared buffer (`room`), and returns the key's size. Calls no function of
 * the user. `known` converts the key to a string or a Uint8Array (keys.js). */
export function putKey(key, known, index = "key", at = 0) {
  if (known === plainKey && Number.isSafeInteger(key)) {
    makeRoom(at + MOST_DIGITS);
    return native.put_integer(at, key);
  }
  const written = known(key, index);
  makeRoom(at + mostBytes(written));
  return writeKey(written, bytes, room + at, index);
}

/** Reads what native.facts, or a similar function, wrote to the shared buffer (`room`). */
export function infoOf(nameBytes) {
  roomMoved();
  const numbers = new Float64Array(native.memory.buffer, room, NUMBERS);
  const [capacity, fpRate, keys, units, k, param, payloadBytes, can, seedHigh, seedLow] = numbers;
  const kind = decoder.decode(bytes.subarray(room + 8 * NUMBERS, room + 8 * NUMBERS + nameBytes));
  const abilities = ABILITIES.filter((_, bit) => (can >> bit) & 1);
  const seed = (BigInt(seedHigh) << 32n) + BigInt(seedLow);
  return { kind, capacity, fpRate, keys, units, k, param, seed, payloadBytes, can: abilities };
}

/** Reads the values that native.find_many, or a similar function, wrote to the shared buffer (`room`). */
export function valuesOf(count) {
  const found = new DataView(bytes.buffer, room, 8 * count);
  return Array.from({ length: count }, (_, i) => {
    const value = found.getFloat64(8 * i, LITTLE_ENDIAN);
    return value < 0 ? undefined : value;
  });
}

/** Writes byte arrays to the shared buffer (`room`), one after the other. */
export function putBytes(...pieces) {
  makeRoom(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = room;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
}

const sizes = new Uint32Array(BATCH);
const sizesAsBytes = new Uint8Array(sizes.buffer);

/** Writes up to BATCH keys to the shared buffer (`room`). `first` is the index of the first key. */
export function putBatch(keys, known, first) {
  let used = SIZES;
  for (let i = 0; i < keys.length; ++i) {
    const size = putKey(keys[i], known, first + i, used);
    sizes[i] = size;
    if (sizes[i] !== size) throw new CrivoError(`keys[${first + i}] must be shorter than 2^32 bytes, got ${size}`);
    used += size;
  }
  bytes.set(sizesAsBytes, room);
  return used;
}

const MOST_VALUE = 2 ** 32 - 1;
const values = new Uint32Array(BATCH);

/** Writes keys and their values to the shared buffer (`room`), and calls take(count) for each batch. */
export function putPairs(entries, take) {
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
    const used = putBatch(keys, plainKey, first);
    makeRoom(used + values.byteLength);
    bytes.set(new Uint8Array(values.buffer), room + used);
    take(batch.length);
    first += batch.length;
  }
}

/** Yields batches of keys, each in a new array. */
export function* batchesOf(keys, name = "keys") {
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

/** Writes keys to the shared buffer (`room`), and calls take(count) for each batch. */
export function putMany(keys, known, take) {
  let first = 0;
  for (const batch of batchesOf(keys)) {
    putBatch(batch, known, first);
    take(batch.length);
    first += batch.length;
  }
}

export function wholeNumber(name, value) {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new CrivoError(`${name} must be an integer of at most 2^53, got ${String(value)}`);
}

/** The high and the low half of a seed. */
export function halvesOf(seed) {
  const whole = BigInt(seed);
  if (BigInt.asUintN(64, whole) !== whole) throw new CrivoError(`seed must be from 0 to 2^64 - 1, got ${seed}`);
  return [Number(whole >> 32n), Number(whole & 0xffffffffn)];
}

/** Writes a blob to the shared buffer (`room`), calls open(bytes, maxBytes), and frees the buffer. */
export function openBlob(blob, { maxBytes = DEFAULT_MAX_BYTES }, open) {
  const source = blob instanceof ArrayBuffer ? new Uint8Array(blob) : blob;
  if (!(source instanceof Uint8Array)) throw new TypeError("blob must be a Uint8Array or an ArrayBuffer");
  const limit = wholeNumber("maxBytes", maxBytes);
  try {
    makeRoom(source.length);
    bytes.set(source, room);
    return open(source.length, limit);
  } finally {
    leaveRoom();
  }
}

/** Copies the blob that C++ wrote to the shared buffer (`room`), and frees the buffer. */
export function takeBlob(size) {
  roomMoved();
  const blob = bytes.slice(room, room + size);
  leaveRoom();
  return blob;
}

/** Throws for a property that is not an option. */
export function checkOptions(options, names) {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`options must be among ${names.join(", ")}, got ${unknown}`);
}
