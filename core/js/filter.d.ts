/**
 * A key. A string is encoded as UTF-8, and a number or bigint as its digits: `7`, `7n` and `"7"` are the same key. An
 * integer beyond 2^53 must be a bigint. The kind "range" accepts 64-bit integers, which it compares as numbers, or
 * bytes.
 */
export type Key = string | Uint8Array | number | bigint;

/** The options of a new filter. */
export interface Options {
  /** "blocked" (the default, and the fastest), "classic", "counting", "ribbon" (the smallest), "spectral:16", "window:7 days", ... */
  kind?: string;
  /** The number of keys to size the filter for. By default, a build derives it from the keys. */
  capacity?: number;
  /** The false-positive rate at capacity: 0.01 by default, or 1 for exact. */
  fpRate?: number;
  /** Sizes the filter instead of fpRate. */
  bitsPerKey?: number;
  /** The seed of the hash: 0 to 2^64 - 1. */
  seed?: number | bigint;
  /** The maximum size of the filter in bytes, also when it grows. */
  maxBytes?: number;
}

/** The options and the shape of a filter. */
export interface Info {
  kind: string;
  capacity: number;
  fpRate: number;
  /** Successful additions, including repeated ones. */
  keys: number;
  /** Bits, blocks or counters, by kind. */
  units: number;
  k: number;
  param: number;
  seed: bigint;
  payloadBytes: number;
  can: ("add" | "remove" | "count" | "unite" | "intersect" | "grow" | "range" | "find" | "exact" | "advance")[];
}

/** An error of Crivo. A key or blob of a wrong type, or an unknown option, is a TypeError instead. */
export class CrivoError extends Error {
  /** "bad argument", "corrupt", "unsupported", "full", "not found", "incompatible", "too large" or "out of memory". */
  readonly code: string;
}

/** A set of keys that answers "certainly not" (false) or "maybe" (true), with a small false-positive rate. */
export class Filter {
  private constructor();

  /** Opens a blob of any form, from any interface of Crivo. The filter may use at most maxBytes, 1 GiB by default. */
  static open(blob: Uint8Array | ArrayBuffer, options?: { maxBytes?: number }): Filter;
  /** An empty filter. Every kind except growing needs a capacity. */
  static create(options: Options & ({ capacity: number } | { kind: "growing" })): Filter;
  /** A filter of these keys, of any kind except map and exact. */
  static build(keys: Iterable<Key>, options?: Options): Filter;

  /**
   * A map from keys to values of 0 to 2^32 - 1, built from entries such as those of a Map. It stores no keys. With
   * an fpRate of 1, no bits detect absent keys. A key with two different values is an error.
   */
  static buildMap(entries: Iterable<readonly [Key, number]>, options?: Options): Filter;

  /**
   * An exact filter of all keys of a universe: it finds all members and none of the others, with certainty. It finds
   * keys outside the universe at a rate of at most fpRate. The default of 1 gives the smallest filter. A key on both
   * sides is an error.
   */
  static buildExact(members: Iterable<Key>, others: Iterable<Key>, options?: Options): Filter;

  /** The value of a key in a map; undefined for a key that is certainly absent, and any value for a false positive. */
  get(key: Key): number | undefined;
  /** Like get for each key, but faster. */
  getMany(keys: Iterable<Key>): (number | undefined)[];

  has(key: Key): boolean;
  /** Like has for each key, but faster. */
  hasMany(keys: Iterable<Key>): boolean[];
  /** Whether a filter of the kind "range" may contain a key from low to high, both included. */
  hasRange(low: number | bigint | Uint8Array, high: number | bigint | Uint8Array): boolean;
  /** How often a key was added, less its removals; may be too high. Counters saturate, those of "counting" at 15. */
  count(key: Key): number;

  add(key: Key): void;
  /** On an error, some or all of the keys before the failing one have been added. */
  addMany(keys: Iterable<Key>): void;
  /** Undoes one addition. Only added keys may be removed. */
  remove(key: Key): void;

  /**
   * Sets the clock of a filter that expires keys (kind "window") to a time, by default now. Keys added from then on
   * have this time. A key is found for at least a window after its last addition, and for at most one pane longer. The
   * clock never goes back: an earlier time has no effect. Numbers are milliseconds since 1970.
   */
  advance(time?: Date | number): void;

  readonly info: Info;
  /** A blob: "raw" by default, or "mappable", with checksums for its segments. Compressed blobs can only be read. */
  toBytes(form?: "raw" | "mappable"): Uint8Array;
  /** Frees the memory now, instead of at garbage collection. */
  free(): void;
}

/** A file of a sharded filter. The file `name` is in the folder that has the manifest's name plus ".shards". */
export interface Shard {
  number: number;
  name: string;
}

/**
 * The only shard of a sharded filter (`crivo build --shards`) that can have the key, according to the bytes of its
 * manifest. Fetch the file of this shard, and open it with Filter.open.
 */
export function findShard(manifest: Uint8Array | ArrayBuffer, key: Key): Shard;

/** The options of a new sketch. Two sketches can be compared if keys and seed are equal, and first is 0. */
export interface SketchOptions {
  /** The length of the sketch; sketchSymbols() returns the length that a difference needs. */
  symbols: number;
  /**
   * What the sketch stores and returns for each key: "hashes" (the default) of keys as in Filter, "integers" of 64
   * bits, or "bytes:N", strings of N bytes, at most 32.
   */
  keys?: string;
  /** The number of the first symbol, to continue another sketch of the same set. */
  first?: number;
  /** The seed of all hashes. If untrusted parties supply the keys, draw a new seed after receiving them. */
  seed?: number | bigint;
  /** The maximum size of the sketch in bytes. */
  maxBytes?: number;
}

/** The options of a sketch, and its number of keys. */
export interface SketchInfo {
  keys: string;
  symbols: number;
  first: number;
  seed: bigint;
  /** The number of keys added, less those removed. */
  size: number;
}

/** The keys that only one of two sets has, in ascending order: hashes and integers as bigint, strings as bytes. */
export interface Difference {
  onlyThis: (bigint | Uint8Array)[];
  onlyOther: (bigint | Uint8Array)[];
}

/** The number of symbols that finds a difference of this many keys in at least 997 of 1,000 cases. */
export function sketchSymbols(difference: number): number;

/**
 * A sketch of a set. Two sketches give the difference of their sets. Their size grows with the difference, not with the
 * sets. No key may be in a set twice. A key that one side has once more than the other is reported as missing from the
 * other. If a side has a key even more often, no difference is found.
 */
export class Sketch {
  private constructor();

  /** Opens a blob from any interface of Crivo. */
  static open(blob: Uint8Array | ArrayBuffer, options?: { maxBytes?: number }): Sketch;
  /** The sketch of these keys. */
  static of(keys: Iterable<Key>, options: SketchOptions): Sketch;

  /** Adds a key that is not in the set. */
  add(key: Key): void;
  addMany(keys: Iterable<Key>): void;
  /** Removes a key that is in the set. */
  remove(key: Key): void;
  removeMany(keys: Iterable<Key>): void;
  /** Appends the next symbols of the same set: a sketch with first = info.first + info.symbols. */
  append(next: Sketch): void;
  /** Adds all keys of a set that has no key in common with this one. */
  combine(other: Sketch): void;
  /** The difference of the two sets; undefined while the sketches are too short. */
  difference(other: Sketch): Difference | undefined;

  readonly info: SketchInfo;
  /** The sketch as a blob. */
  toBytes(): Uint8Array;
  /** Frees the memory now, instead of at garbage collection. */
  free(): void;
}
