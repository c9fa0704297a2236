// The shared buffer, in which JavaScript and the functions of exports.h exchange everything except numbers;
// exports.h defines its layout. `native`, `bytes` and `bufferStart` are live bindings, so importers see the current
// values.
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
export let bufferStart = 0; // the position of the shared buffer in this memory
let bufferBytes = 0;

/** Call first. `functions` has the functions of exports.h, and `memory`, whose `buffer` contains the shared buffer. */
export function use(functions) {
  native = functions;
  memoryMoved();
}

/** Call when the memory's buffer was replaced. */
export function memoryMoved() {
  bytes = new Uint8Array(native.memory.buffer);
}

function growBuffer(needed, wanted = needed) {
  const got = native.grow_buffer(wanted) ? wanted : needed;
  bufferStart = native.grow_buffer(got) || fail();
  // WebAssembly truncates sizes to 32 bits.
  const isThere = bufferStart + got <= native.memory.buffer.byteLength;
  if (!isThere) throw new CrivoError("keys and blobs must fit in memory", "out of memory");
  if (bytes.buffer !== native.memory.buffer) memoryMoved();
  bufferBytes = got;
}

export function reserve(needed) {
  if (needed > bufferBytes) growBuffer(needed, Math.max(needed, 2 * bufferBytes, 1 << 12));
}

/** Call before reading what C++ wrote to the shared buffer: the buffer may have moved. */
export function refreshBuffer() {
  growBuffer(bufferBytes);
}

export function freeBuffer() {
  native.free_buffer();
  bufferStart = bufferBytes = 0;
}

export function fail() {
  const code = CODES[native.code()];
  const size = native.message();
  refreshBuffer();
  const text = decoder.decode(bytes.subarray(bufferStart, bufferStart + size)) || code;
  const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  throw new CrivoError(text.replace(/^(fp_rate|bits_per_key|max_bytes)\b/, camelCase), code);
}

/** Writes a key at this offset of the shared buffer, and returns the key's size. Calls no function of
 * the user. `known` converts the key to a string or a Uint8Array (keys.js). */
export function putKey(key, known, index = "key", at = 0) {
  if (known === plainKey && Number.isSafeInteger(key)) {
    reserve(at + MOST_DIGITS);
    return native.put_integer(at, key);
  }
  const written = known(key, index);
  reserve(at + mostBytes(written));
  return writeKey(written, bytes, bufferStart + at, index);
}

/** Reads what native.facts, or a similar function, wrote to the shared buffer. */
export function infoOf(nameBytes) {
  refreshBuffer();
  const numbers = new Float64Array(native.memory.buffer, bufferStart, NUMBERS);
  const [capacity, fpRate, keys, units, k, param, payloadBytes, can, seedHigh, seedLow] = numbers;
  const kind = decoder.decode(bytes.subarray(bufferStart + 8 * NUMBERS, bufferStart + 8 * NUMBERS + nameBytes));
  const abilities = ABILITIES.filter((_, bit) => (can >> bit) & 1);
  const seed = (BigInt(seedHigh) << 32n) + BigInt(seedLow);
  return { kind, capacity, fpRate, keys, units, k, param, seed, payloadBytes, can: abilities };
}

/** Reads the values that native.find_many, or a similar function, wrote to the shared buffer. */
export function valuesOf(count) {
  const found = new DataView(bytes.buffer, bufferStart, 8 * count);
  return Array.from({ length: count }, (_, i) => {
    const value = found.getFloat64(8 * i, LITTLE_ENDIAN);
    return value < 0 ? undefined : value;
  });
}

/** Writes byte arrays to the shared buffer, one after the other. */
export function putBytes(...pieces) {
  reserve(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = bufferStart;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
}

const sizes = new Uint32Array(BATCH);
const sizesAsBytes = new Uint8Array(sizes.buffer);

/** Writes up to BATCH keys to the shared buffer. `first` is the index of the first key. */
export function putBatch(keys, known, first) {
  let used = SIZES;
  for (let i = 0; i < keys.length; ++i) {
    const size = putKey(keys[i], known, first + i, used);
    sizes[i] = size;
    if (sizes[i] !== size) throw new CrivoError(`keys[${first + i}] must be shorter than 2^32 bytes, got ${size}`);
    used += size;
  }
  bytes.set(sizesAsBytes, bufferStart);
  return used;
}

const MOST_VALUE = 2 ** 32 - 1;
const values = new Uint32Array(BATCH);

/** Writes keys and their values to the shared buffer, and calls take(count) for each batch. */
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
    reserve(used + values.byteLength);
    bytes.set(new Uint8Array(values.buffer), bufferStart + used);
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

/** Writes keys to the shared buffer, and calls take(count) for each batch. */
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

/** Writes a blob to the shared buffer, calls open(bytes, maxBytes), and frees the buffer. */
export function openBlob(blob, { maxBytes = DEFAULT_MAX_BYTES }, open) {
  const source = blob instanceof ArrayBuffer ? new Uint8Array(blob) : blob;
  if (!(source instanceof Uint8Array)) throw new TypeError("blob must be a Uint8Array or an ArrayBuffer");
  const limit = wholeNumber("maxBytes", maxBytes);
  try {
    reserve(source.length);
    bytes.set(source, bufferStart);
    return open(source.length, limit);
  } finally {
    freeBuffer();
  }
}

/** Copies the blob that C++ wrote to the shared buffer, and frees the buffer. */
export function takeBlob(size) {
  refreshBuffer();
  const blob = bytes.slice(bufferStart, bufferStart + size);
  freeBuffer();
  return blob;
}

/** Throws for a property that is not an option. */
export function checkOptions(options, names) {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`options must be among ${names.join(", ")}, got ${unknown}`);
}
