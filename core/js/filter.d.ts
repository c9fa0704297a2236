/**
 * A key. A string is its UTF-8, a number or bigint its digits: `7`, `7n` and `"7"` are one key. An integer beyond 2^53
 * must be a bigint. The kind "range" takes integers of 64 bits, which it compares as numbers, or bytes.
 */
export type Key = string | Uint8Array | number | bigint;

/** What a new filter is to be. */
export interface Options {
  /** "blocked" (the default, and the fastest), "classic", "counting", "ribbon" (the smallest), "spectral:16", "window:7 days", ... */
  kind?: string;
  /** Keys to size it for. Filter.build takes the number of distinct keys without it. */
  capacity?: number;
  /** The rate of false hits at capacity: 0.01 by default, or 1 for exact. */
  fpRate?: number;
  /** Sizes the filter instead of fpRate. */
  bitsPerKey?: number;
  /** Of the hash: 0 to 2^64 - 1. */
  seed?: number | bigint;
  /** The most bytes that the filter may have, also when it grows. */
  maxBytes?: number;
}

/** What a filter was asked to be, and its shape. */
export interface Info {
  kind: string;
  capacity: number;
  fpRate: number;
  /** Successful additions, repeated ones included. */
  keys: number;
  /** Bits, blocks or counters, by kind. */
  units: number;
  k: number;
  param: number;
  seed: bigint;
  payloadBytes: number;
  can: ("add" | "remove" | "count" | "unite" | "intersect" | "grow" | "range" | "find" | "exact" | "advance")[];
}

/** What Crivo refuses. A key or an option of a wrong type is a TypeError. */
export class CrivoError extends Error {
  /** "bad argument", "corrupt", "unsupported", "full", "not found", "incompatible", "too large" or "out of memory". */
  readonly code: string;
}

/** Whether a key is in a set: "certainly not" (false), or "maybe" (true), with a small rate of false hits. */
export class Filter {
  private constructor();

  /** The filter in a blob of any form, from any other way into Crivo. It may take maxBytes, 1 GiB by default. */
  static open(blob: Uint8Array | ArrayBuffer, options?: { maxBytes?: number }): Filter;
  /** An empty filter, which needs a capacity, but for the kind growing. */
  static create(options: Options & ({ capacity: number } | { kind: "growing" })): Filter;
  /** A filter of these keys, of any kind but map and exact. */
  static build(keys: Iterable<Key>, options?: Options): Filter;

  /**
   * A map: a value for each key, from 0 to 2^32 - 1, of entries such as those of a Map; it stores no keys. An fpRate of
   * 1 spends no bits on telling that a key is absent. A key with two different values is an error.
   */
  static buildMap(entries: Iterable<readonly [Key, number]>, options?: Options): Filter;

  /**
   * An exact filter of all keys of a universe: it has the members and none of the others, both for certain. Of keys
   * outside of the universe it finds some, at no more than fpRate, which is 1 without one: the smallest filter. A key on
   * both sides is an error.
   */
  static buildExact(members: Iterable<Key>, others: Iterable<Key>, options?: Options): Filter;

  /** The value of a key in a map; undefined for a key that is certainly absent, and any value for a false hit. */
  get(key: Key): number | undefined;
  /** Faster than get for each. */
  getMany(keys: Iterable<Key>): (number | undefined)[];

  has(key: Key): boolean;
  /** Faster than has for each. */
  hasMany(keys: Iterable<Key>): boolean[];
  /** Whether a key may lie from low to high, both included, in a filter of the kind "range". */
  hasRange(low: number | bigint | Uint8Array, high: number | bigint | Uint8Array): boolean;
  /** How often a key was added, less its removals: never less than that. */
  count(key: Key): number;

  add(key: Key): void;
  /** On an error, the keys before the failing one were added. */
  addMany(keys: Iterable<Key>): void;
  /** Takes back one addition. Only keys that were added may be removed. */
  remove(key: Key): void;

  /**
   * Sets the clock of a filter that forgets (kind "window") to a time, by default now, which keys have that are added
   * from then on. A key is found for at least a window after it was last added, and for at most one pane longer. The
   * clock never goes back: an earlier time changes nothing. Numbers are milliseconds since 1970.
   */
  advance(time?: Date | number): void;

  readonly info: Info;
  /** A blob: "raw" by default, or "mappable", with a checksum for each part. Compressed blobs are only read. */
  toBytes(form?: "raw" | "mappable"): Uint8Array;
  /** Frees its memory now, and not when it is collected as garbage. */
  free(): void;
}

/** A file of a sharded filter: `name` is its name in the folder that has the manifest's name and ".shards". */
export interface Shard {
  number: number;
  name: string;
}

/**
 * The one shard of a sharded filter (`crivo build --shards`) that can have the key, by the bytes of its manifest alone.
 * Fetch that file, and open it with Filter.open.
 */
export function findShard(manifest: Uint8Array | ArrayBuffer, key: Key): Shard;

/** What a new sketch is to be. Two sketches are compared if all but symbols and maxBytes are the same. */
export interface SketchOptions {
  /** How long it is; sketchSymbols() says what a difference needs. */
  symbols: number;
  /**
   * What is known of keys, and given back: "hashes" (the default) of keys as a Filter takes them, "integers" of 64 bits,
   * or "bytes:N", strings of N bytes, at most 32.
   */
  keys?: string;
  /** The number of the first symbol, to continue another sketch of the same set. */
  first?: number;
  /** Of all hashes: where keys come from strangers, a new one that is drawn after them. */
  seed?: number | bigint;
  /** The most bytes that the sketch may have. */
  maxBytes?: number;
}

/** What a sketch was asked to be. */
export interface SketchInfo {
  keys: string;
  symbols: number;
  first: number;
  seed: bigint;
  /** The keys that were added, less those that were removed. */
  size: number;
}

/** The keys that only one of two sets has, in ascending order: hashes and integers as bigint, strings as their bytes. */
export interface Difference {
  onlyThis: (bigint | Uint8Array)[];
  onlyOther: (bigint | Uint8Array)[];
}

/** So many symbols tell a difference of so many keys, in at least 997 of 1,000 cases. */
export function sketchSymbols(difference: number): number;

/**
 * A sketch of a set: with that of another set it tells what the two differ in. Its bytes grow with the difference, and
 * not with the sets. No key may be in a set twice: one that a side has once more than the other is found as if
 * the other lacked it, and with one that it has more often no difference is found.
 */
export class Sketch {
  private constructor();

  /** The sketch in a blob, from any other way into Crivo. */
  static open(blob: Uint8Array | ArrayBuffer, options?: { maxBytes?: number }): Sketch;
  /** The sketch of these keys. */
  static of(keys: Iterable<Key>, options: SketchOptions): Sketch;

  /** Adds a key that is not in the set. */
  add(key: Key): void;
  addMany(keys: Iterable<Key>): void;
  /** Removes a key that is in the set. */
  remove(key: Key): void;
  removeMany(keys: Iterable<Key>): void;
  /** Puts the next symbols of the same set behind these: those of a sketch with first = info.first + info.symbols. */
  append(next: Sketch): void;
  /** Adds all keys of a set that has none of these. */
  combine(other: Sketch): void;
  /** What the two sets differ in; undefined while the sketches are too short. */
  difference(other: Sketch): Difference | undefined;

  readonly info: SketchInfo;
  /** The sketch as a blob. */
  toBytes(): Uint8Array;
  /** Frees its memory now, and not when it is collected as garbage. */
  free(): void;
}
