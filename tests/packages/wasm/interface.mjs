// The promises of index.d.ts, beyond reading and writing.
import assert from "node:assert/strict";
import { CrivoError, Filter, Sketch, sketchSymbols } from "crivo-wasm";

const words = ["7", "schl\u00fcssel", "\u{1f511}", "", "0.1", "1e-07", "nan", "18446744073709551616"];
const keys = Filter.build(words, { fpRate: 1e-12 });
const utf8 = (text) => new TextEncoder().encode(text);
assert(keys.hasMany([7, 7n, utf8("\u{1f511}"), "", 0.1, 1e-7, NaN, 2n ** 64n]).every(Boolean));
assert.deepEqual(keys.hasMany([-7, 0.2]), [false, false]);
assert(keys.has("schl\u00fcssel") && keys.has(utf8("schl\u00fcssel")) && !keys.has(`${"x".repeat(100_000)}\u00fc`));
assert.equal(Filter.build([-0]).has("0"), true);

const counting = Filter.create({ kind: "counting", capacity: 100 });
counting.addMany(["a", "a", "b"]);
counting.remove("b");
assert.deepEqual([counting.count("a"), counting.count("b"), counting.info.keys], [2, 0, 2]);

const window = Filter.create({ kind: "window:7 days/7", capacity: 100, fpRate: 1e-9 });
window.advance(new Date("2024-03-01"));
window.add("token 1");
window.advance(Date.UTC(2024, 2, 5, 12));
window.add("token 2");
window.advance(0);
assert.deepEqual(window.hasMany(["token 1", "token 2"]), [true, true]);
window.advance();  // now
assert.deepEqual([window.hasMany(["token 1", "token 2"]), window.info.can], [[false, false], ["add", "advance"]]);

const range = Filter.build([-5n, 2n ** 40n], { kind: "range:64", fpRate: 1e-9 });
assert.deepEqual([range.hasRange(-10, 0), range.hasRange(0, 63n)], [true, false]);
assert.deepEqual(range.hasMany([-5, 5]), [true, false]);

const squares = new Map(Array.from({ length: 2000 }, (_, i) => [i, i * i]));
for (const options of [{}, { fpRate: 1 }, { kind: "map:22", fpRate: 1e-9 }]) {
  const map = Filter.open(Filter.buildMap(squares, options).toBytes());
  assert.deepEqual(map.getMany(squares.keys()), [...squares.values()]);
  assert.deepEqual([map.get(7), map.has("7"), map.info.kind, map.info.can], [49, true, "map", ["find"]]);
  assert.equal(map.getMany(["x"]).length, 1);
}
const ports = Filter.buildMap(Object.entries({ ssh: 22, most: 2 ** 32 - 1 }), { fpRate: 1e-9 });
assert.deepEqual([ports.get("ssh"), ports.get("most"), ports.get("gopher")], [22, 2 ** 32 - 1, undefined]);
assert.deepEqual(ports.getMany(["gopher", "ssh"]), [undefined, 22]);

const exact = Filter.buildExact(["b", 7], ["a", 8, "c"]);
assert.deepEqual(exact.hasMany(["a", "b", "c", 7, 8]), [false, true, false, true, false]);
assert.deepEqual([exact.info.kind, exact.info.can, exact.info.fpRate], ["exact", ["exact"], 1]);
assert.throws(() => Filter.buildExact(["a"], ["a"]), /got one in both/);
assert.throws(() => Filter.buildExact("abc", ["a"]), /members must be an iterable/);
assert.throws(() => Filter.buildExact(["a"], ["b"], { kind: "map" }), /kind must be exact, got map/);
assert.throws(() => Filter.buildMap([["a", 1]], { kind: "exact" }), /kind must be map, got exact/);

// A generator of keys may use other filters, and its error ends the build.
const nested = Filter.build((function* () {
  for (let i = 0; i < 2000; ++i) yield Filter.build([`inner ${i}`, i]).has(i) ? i : "lost";
})());
assert(nested.hasMany(Array.from({ length: 2000 }, (_, i) => i)).every(Boolean) && nested.info.capacity === 2000);
assert.throws(() => Filter.build((function* () { yield 1; throw new RangeError("stop"); })()), { name: "RangeError" });

const [ribbon, room] = [Filter.build(["a"], { kind: "ribbon" }), { capacity: 100 }];
const refusals = [
  [() => Filter.create({ ...room, kind: "ribbon" }), "unsupported", /^kind must support adding keys, got rib/],
  [() => ribbon.add("b"), "unsupported", /ribbon/],
  [() => ribbon.advance(), "unsupported", /^kind must support advance \(window\), got ribbon/],
  [() => window.advance(-1), "bad argument", /^time must be an integer/],
  [() => window.advance(null), "bad argument", /^time must be an integer/],
  [() => window.advance(new Date("no")), "bad argument", /^time must be an integer/],
  [() => window.advance(2 ** 53 - 1), "bad argument", /^time must be milliseconds since 1970/],
  [() => ribbon.get("b"), "unsupported", /^kind must support finding values \(map\), got ribbon/],
  [() => ribbon.getMany(["b"]), "unsupported", /^kind must support finding values/],
  [() => Filter.build(["a"], { kind: "map" }), "unsupported", /^kind must have keys without values, got map/],
  [() => Filter.buildMap([["a", 1]], { kind: "ribbon" }), "unsupported", /^kind must be map, got ribbon/],
  [() => Filter.buildMap([["a", 1], ["b", 2], ["a", 3]]), "bad argument", /^value must be the same .*, got 1 and 3/],
  [() => Filter.buildMap([["a", 1], ["b", 2 ** 32]]), "bad argument", /^entries\[1\] must have a value from 0 to/],
  [() => Filter.buildMap([["a", 0.5]]), "bad argument", /^entries\[0\] must have a value .*, got 0.5/],
  [() => Filter.buildMap([["a", 16]], { kind: "map:4" }), "bad argument", /^value must be in \[0, 15\], got 16/],
  [() => ribbon.count("b"), "unsupported", /ribbon/],
  [() => ribbon.hasRange(1, 2), "unsupported", /^kind must be range, got ribbon/],
  [() => counting.remove("never"), "not found", /^key must be in the filter/],
  [() => Filter.create({ capacity: 1.5 }), "bad argument", /^capacity must be an integer .*, got 1.5/],
  [() => Filter.create({}), "bad argument", /^capacity must be in .*, got 0/],
  [() => Filter.create({ ...room, kind: "nope" }), "bad argument", /^kind must be one of .*, got 'nope'/],
  [() => Filter.create({ ...room, fpRate: 1.5 }), "bad argument", /^fpRate must be in \(0, 1\), got 1.5/],
  [() => Filter.create({ ...room, fpRate: NaN }), "bad argument", /^fpRate must be a number above 0, got NaN/],
  [() => Filter.create({ ...room, fpRate: 0.1, bitsPerKey: 8 }), "bad argument", /^fpRate must be undefined/],
  [() => Filter.create({ ...room, seed: 2n ** 64n }), "bad argument", /^seed must be from 0 to 2\^64 - 1, got 18446/],
  [() => Filter.create({ ...room, maxBytes: 8 }), "too large", /8 bytes/],
  [() => Filter.build(["ok", "\ud800"]), "bad argument", /^keys\[1\] must be text that UTF-8 can encode/],
  [() => keys.has(2 ** 53), "bad argument", /^key must be a bigint .*, got 9007199254740992/],
  [() => range.has(2n ** 63n), "bad argument", /^key must be from -2\^63 to 2\^63 - 1/],
  [() => keys.toBytes("auto"), "bad argument", /^form must be one of raw, mappable, got auto/],
  [() => Filter.open(new Uint8Array(3)), "corrupt", /^blob/],
];
for (const [call, code, message] of refusals) assert.throws(call, { name: "CrivoError", code, message });
const wrongTypes = [() => Filter.buildMap(["ab"]), () => Filter.buildMap([["a"]]), () => keys.has({}), () => keys.has(null), () => keys.hasMany("text"), () => Filter.build(7),
  () => range.has("a"), () => Filter.open("text"), () => Filter.create({ ...room, fpr: 0.1 }), () => new Filter()];
for (const call of wrongTypes) assert.throws(call, { name: "TypeError", message: / must be / });

// A generator may also free the filter that it is used for.
for (const call of [(filter, each) => filter.hasMany(each), (filter, each) => filter.addMany(each)]) {
  const freed = Filter.create(room);
  const frees = (function* () { for (let i = 0; i < 600; ++i) yield String(i); freed.free(); yield "last"; })();
  assert.throws(() => call(freed, frees), { name: "CrivoError", message: /^filter must not be used after free/ });
}

keys.free();
keys.free();
assert.throws(() => keys.has("7"), CrivoError);

// Compares sketches with sets: the difference, or "not yet".
let state = 1;
const below = (bound) => (state = (state * 48271) % 2147483647) % bound; // Park and Miller's generator
const drawn = (count) => Array.from({ length: count }, () => BigInt(below(2 ** 30)) * 2n ** 33n - 2n ** 62n);
const sorted = (set) => [...set].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
let told = 0;
for (let round = 0; round < 200; ++round) {
  const common = drawn(below(1200));
  const [mine, theirs] = [new Set([...common, ...drawn(below(12))]), new Set([...common, ...drawn(below(12))])];
  const options = { symbols: 1 + below(70), keys: "integers", seed: BigInt(below(9)) };
  const stored = Sketch.open(Sketch.of(theirs, options).toBytes());
  const found = Sketch.of(mine, options).difference(stored);
  if (found === undefined) continue;
  ++told;
  assert.deepEqual(found.onlyThis, sorted(new Set([...mine].filter((key) => !theirs.has(key)))));
  assert.deepEqual(found.onlyOther, sorted(new Set([...theirs].filter((key) => !mine.has(key)))));
}
assert(told > 60 && told < 200);

const names = ["ann", "bob", "cid"];
const strings = Sketch.of(names, { symbols: 40, keys: "bytes:3" });
assert.deepEqual(strings.difference(Sketch.of([utf8("bob")], { symbols: 40, keys: "bytes:3" })),
  { onlyThis: [utf8("ann"), utf8("cid")], onlyOther: [] });
const whole = Sketch.of(names, { symbols: 50, seed: 7n });
const parts = Sketch.of(names.slice(0, 1), { symbols: 20, seed: 7n });
parts.combine(Sketch.of(names.slice(1), { symbols: 20, seed: 7n }));
parts.append(Sketch.of(names, { symbols: 30, first: 20, seed: 7n }));
parts.addMany(["guest", 7]);
parts.remove("guest");
parts.removeMany(["7"]);
assert.deepEqual(parts.toBytes(), whole.toBytes());
assert.deepEqual(parts.info, { keys: "hashes", symbols: 50, first: 0, size: 3, seed: 7n });
assert.equal(parts.difference(parts).onlyThis.length, 0);
assert.equal(sketchSymbols(100), 211);

const sketchRefusals = [
  [() => Sketch.of(names), CrivoError, /^symbols must be an integer/],
  [() => Sketch.of(names, { symbols: 0 }), CrivoError, /^symbols must be in/],
  [() => Sketch.of(names, { symbols: 9, keys: "words" }), CrivoError, /^keys must be hashes, integers or bytes:N/],
  [() => Sketch.of(names, { symbols: 9, maxBytes: 99 }), CrivoError, /^symbols must fit in 99 bytes/],
  [() => Sketch.of(names, { symbol: 9 }), TypeError, /^options must be among symbols, keys/],
  [() => Sketch.of(names, { symbols: 9, keys: "integers" }), TypeError, /^keys\[0\] must be an integer in a sketch of int/],
  [() => Sketch.of([2n ** 63n], { symbols: 9, keys: "integers" }), CrivoError, /^keys\[0\] must be from -2\^63 to/],
  [() => Sketch.of([123], { symbols: 9, keys: "bytes:3" }), TypeError, /^keys\[0\] must be a string or a Uint8Array/],
  [() => strings.add("long"), CrivoError, /^key must have the 3 bytes of the sketch's keys, got 4/],
  [() => strings.difference(whole), CrivoError, /^keys must be the same in both sketches, got bytes:3 and hashes/],
  [() => strings.difference(Filter.build(["a"])), TypeError, /^other must be a Sketch/],
  [() => Sketch.open(Filter.build(["a"]).toBytes()), CrivoError, /^kind must be sketch, got blocked, a filter/],
  [() => Filter.open(whole.toBytes()), CrivoError, /^kind must be that of a filter, got sketch/],
  [() => { whole.free(); whole.add("a"); }, CrivoError, /^sketch must not be used after free/],
];
for (const [refused, type, message] of sketchRefusals) {
  assert.throws(refused, (error) => error instanceof type && message.test(error.message) || assert.fail(error));
}
