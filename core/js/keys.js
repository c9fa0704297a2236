// Encodes keys and numbers as bytes, as Crivo's other interfaces do.
const encoder = new TextEncoder();

/** An error of Crivo, with the reason in one or two words: "corrupt", "bad argument", "too large", ... */
export class CrivoError extends Error {
  constructor(message, code = "bad argument") {
    super(message);
    this.name = "CrivoError";
    this.code = code;
  }
}

/** The text of a number as std::to_chars writes it: the shortest text that reads back as the same number. */
export function spell(number) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  const [digits, exponent] = number.toExponential().split("e");
  const scientific = `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  const fixed = Number.isInteger(number) ? String(BigInt(number)) : String(number);
  return fixed.includes("e") || fixed.length > scientific.length ? scientific : fixed;
}

/** The name of a key in an error: keys[index] or, for a single key, the name that was passed as `index`. */
function nameOf(index) {
  return typeof index === "number" ? `keys[${index}]` : index;
}

function describe(value) {
  return value === null ? "null" : typeof value === "object" ? value.constructor?.name ?? "an object" : typeof value;
}

function textOfNumber(number, index) {
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new CrivoError(`${nameOf(index)} must be a bigint if it is an integer beyond 2^53, got ${number}`);
  }
  return Number.isInteger(number) ? String(number) : spell(number);
}

/** An integer of 64 bits as a bigint. `what` and `place` are for errors. */
function integer(key, index, what, place) {
  if (typeof key !== "bigint" && !Number.isSafeInteger(key)) {
    throw new TypeError(`${nameOf(index)} must be ${what} ${place}, got ${describe(key)}`);
  }
  const number = BigInt(key);
  if (BigInt.asIntN(64, number) === number) return number;
  throw new CrivoError(`${nameOf(index)} must be from -2^63 to 2^63 - 1 ${place}, got ${key}`);
}

/** Encodes a key of the kind "range": integers are compared as numbers, and bytes lexicographically. */
export function orderedKey(key, index) {
  if (key instanceof Uint8Array) return key;
  const number = integer(key, index, "an integer or a Uint8Array", "for the kind range");
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number + 2n ** 63n);
  return bytes;
}

/** Encodes a key of a sketch of byte strings. C++ checks the length. */
export function bytesKey(key, index) {
  if (typeof key === "string" || key instanceof Uint8Array) return key;
  throw new TypeError(`${nameOf(index)} must be a string or a Uint8Array in a sketch of bytes, got ${describe(key)}`);
}

/** Encodes a key of a sketch of integers. */
export function integerKey(key, index) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, integer(key, index, "an integer", "in a sketch of integers"), true);
  return bytes;
}

/** The key as a string or a Uint8Array. `index` is its index among many keys, or its name in an error. */
export function plainKey(key, index) {
  if (typeof key === "string" || key instanceof Uint8Array) return key;
  if (typeof key === "number") return textOfNumber(key, index);
  if (typeof key === "bigint") return String(key);
  throw new TypeError(`${nameOf(index)} must be a string, Uint8Array, number or bigint, got ${describe(key)}`);
}

/** The maximum number of bytes that writeKey writes. */
export function mostBytes(key) {
  return typeof key === "string" ? 3 * key.length : key.length;
}

/** Writes an encoded key as bytes, and returns their number. */
export function writeKey(key, bytes, at, index) {
  if (typeof key !== "string") {
    bytes.set(key, at);
    return key.length;
  }
  for (let i = 0; i < key.length; ++i) { // 5 times as fast as encodeInto for a short key
    const unit = key.charCodeAt(i);
    if (unit > 0x7f) return writeText(key, bytes, at, index);
    bytes[at + i] = unit;
  }
  return key.length;
}

function writeText(key, bytes, at, index) {
  const lone = key.search(/\p{Surrogate}/u);
  if (lone < 0) return encoder.encodeInto(key, bytes.subarray(at)).written;
  throw new CrivoError(`${nameOf(index)} must be text that UTF-8 can encode, got a lone surrogate at index ${lone}`);
}
