// The class Sketch, implemented by the functions of exports.h: finds the difference of two sets.
import { CrivoError, bytesKey, integerKey, plainKey } from "./keys.js";
import { checkOptions, fail, halvesOf, native, openBlob, putKey, putMany, bufferStart, refreshBuffer, takeBlob,
  wholeNumber } from "./buffer.js";

const OPTIONS = ["symbols", "keys", "first", "seed", "maxBytes"];
const KNOWN = [plainKey, bytesKey, integerKey]; // by the sketch's type of keys
const [HASHES, BYTES, INTEGERS] = [0, 1, 2];
const NUMBERS = 7; // how many numbers native.sketch_facts writes

/** The number of symbols that finds a difference of this many keys in at least 997 of 1,000 cases. */
export function sketchSymbols(difference) {
  return native.sketch_symbols(wholeNumber("difference", difference));
}

const freed = new FinalizationRegistry((sketch) => native.sketch_close(sketch));
const made = Symbol("made");

export class Sketch {
  #sketch;
  #what;

  constructor(token, sketch) {
    if (token !== made) throw new TypeError("a sketch must be made by Sketch.open or Sketch.of");
    this.#sketch = sketch || fail();
    this.#what = this.#numbers[0];
    freed.register(this, sketch, this);
  }

  static open(blob, options = {}) {
    return openBlob(blob, options, (size, limit) => new Sketch(made, native.sketch_open(size, limit)));
  }

  static of(items, options = {}) {
    checkOptions(options, OPTIONS);
    const { symbols, keys = "hashes", first = 0, seed = 0n, maxBytes = 0 } = options;
    const numbers = [wholeNumber("symbols", symbols), wholeNumber("first", first), ...halvesOf(seed)];
    const limit = wholeNumber("maxBytes", maxBytes);
    const sketch = new Sketch(made, native.sketch_create(putKey(String(keys), plainKey), ...numbers, limit));
    sketch.addMany(items);
    return sketch;
  }

  get #open() {
    if (this.#sketch === 0) throw new CrivoError("sketch must not be used after free()");
    return this.#sketch;
  }

  #change(items, add) {
    putMany(items, KNOWN[this.#what], (count) => native.sketch_change(this.#open, count, add ? 1 : 0) || fail());
  }

  add(key) {
    this.#change([key], true);
  }

  addMany(keys) {
    this.#change(keys, true);
  }

  remove(key) {
    this.#change([key], false);
  }

  removeMany(keys) {
    this.#change(keys, false);
  }

  append(next) {
    native.sketch_append(this.#open, Sketch.#other(next)) || fail();
  }

  combine(other) {
    native.sketch_combine(this.#open, Sketch.#other(other)) || fail();
  }

  difference(other) {
    const size = native.sketch_difference(this.#open, Sketch.#other(other));
    if (size < 0) fail();
    if (size === 0) return undefined;
    const found = takeBlob(size);
    const view = new DataView(found.buffer);
    const width = this.#numbers[1];
    const keysFrom = (at, count) => Array.from({ length: count }, (_, i) => {
      const from = at + i * width;
      if (this.#what === BYTES) return found.slice(from, from + width);
      return this.#what === INTEGERS ? view.getBigInt64(from, true) : view.getBigUint64(from, true);
    });
    const firsts = Number(view.getBigUint64(0, true));
    const keys = (size - 8) / width;
    return { onlyThis: keysFrom(8, firsts), onlyOther: keysFrom(8 + firsts * width, keys - firsts) };
  }

  static #other(sketch) {
    if (!(sketch instanceof Sketch)) throw new TypeError("other must be a Sketch");
    return sketch.#open;
  }

  get #numbers() {
    native.sketch_facts(this.#open) || fail();
    refreshBuffer();
    return Array.from(new Float64Array(native.memory.buffer, bufferStart, NUMBERS));
  }

  get info() {
    const [what, keyBytes, symbols, first, size, seedHigh, seedLow] = this.#numbers;
    const keys = what === HASHES ? "hashes" : what === BYTES ? `bytes:${keyBytes}` : "integers";
    return { keys, symbols, first, size, seed: (BigInt(seedHigh) << 32n) + BigInt(seedLow) };
  }

  toBytes() {
    return takeBlob(native.sketch_write(this.#open) || fail());
  }

  free() {
    freed.unregister(this);
    if (this.#sketch !== 0) native.sketch_close(this.#sketch);
    this.#sketch = 0;
  }
}
