// Filters that lie elsewhere answer as they do here, from the bytes that questions read, and damage is an error.
import assert from "node:assert/strict";
import { Filter } from "crivo-wasm";
import { CrivoError, RemoteFilter } from "crivo-wasm/remote";

const KEYS = 30_000;
const present = Array.from({ length: KEYS }, (_, i) => i * 3);
const asked = Array.from({ length: 1000 }, (_, i) => i * 7);

/** A server of files by their names, which may be told to go wrong. */
class Server {
  files = new Map();
  requests = 0;
  running = 0;
  most = 0;
  bytes = 0;
  version = '"1"';
  change = (found) => found;
  answer = undefined;

  fetch = async (url, { headers }) => {
    this.most = Math.max(this.most, ++this.running);
    await new Promise(setImmediate);
    --this.running;
    ++this.requests;
    if (this.answer) return this.answer();
    const file = this.files.get(new URL(url).pathname);
    if (!file) return new Response("", { status: 404 });
    const [, begin, end] = headers.Range.match(/^bytes=(\d+)-(\d+)$/).map(Number);
    const found = this.change(file.slice(begin, end + 1), begin);
    this.bytes += found.length;
    if (begin >= file.length) return new Response("", { status: 416 });
    const range = `bytes ${begin}-${begin + found.length - 1}/${file.length}`;
    return new Response(found, { status: 206, headers: { etag: this.version, "content-range": range } });
  };
  open(name, options = {}) {
    return RemoteFilter.open(`http://elsewhere/${name}`, { fetch: this.fetch, ...options });
  }
}

function build(kind) {
  const options = { kind, capacity: KEYS };
  if (kind === "map") return Filter.buildMap(present.map((key) => [key, key % 1000]), { kind });
  if (kind === "exact") return Filter.buildExact(present, asked.filter((key) => key % 3 !== 0));
  if (/^(ribbon|range)/.test(kind)) return Filter.build(present, options);
  const filter = Filter.create(kind === "growing" ? { kind } : options);
  filter.addMany(present);
  return filter;
}

const server = new Server();
const kinds = ["classic", "blocked", "counting", "spectral:16", "scalable", "growing", "window:7 days", "cuckoo",
  "hash_compaction", "ribbon", "range:64", "map", "exact"];
for (const kind of kinds) {
  const here = build(kind);
  for (const form of ["raw", "mappable"]) {
    server.files.set("/f", here.toBytes(form));
    for (const options of [{}, { verify: false }, ...(form === "mappable" ? [{ maxMemory: 0 }] : [])]) {
      const there = await server.open("f", options);
      assert.deepEqual(there.info, here.info, kind);
      assert.deepEqual(await there.hasMany(asked), here.hasMany(asked), kind);
      const one = await Promise.all(asked.slice(0, 50).map((key) => there.has(key)));
      assert.deepEqual(one, here.hasMany(asked.slice(0, 50)), kind);
      if (kind === "map") assert.deepEqual(await there.getMany(asked), here.getMany(asked));
      if (kind === "map") assert.equal(await there.get(999), 999);
      if (kind === "range:64") assert.equal(await there.hasRange(3, 4n), true);
      if (kind === "counting") assert.equal(await there.count(3), 1);
      there.free();
    }
  }
  // Each byte that is damaged on its way makes an error of a question that reads it, and the next one is right again.
  const there = await server.open("f");
  server.change = (found) => found.map((byte) => byte ^ 1);
  const wrong = (error) => error instanceof CrivoError && error.code === "corrupt";
  for (const key of [0, 300, 60_000]) {
    const answer = await there.has(key).catch((error) => assert(wrong(error), error.stack));
    assert.notEqual(answer, false, `${kind} must not lose ${key}`);
  }
  server.change = (found) => found;
  assert.deepEqual(await there.hasMany([0, 300, 60_000]), [true, true, true], kind);
}

// A question takes what it reads, once.
server.files.set("/big", Filter.build(Array.from({ length: 400_000 }, (_, i) => i), { kind: "blocked" }).toBytes("mappable"));
for (const [options, most] of [[{}, 4096 + 512], [{ verify: false }, 64]]) {
  const big = await server.open("big", options);
  server.requests = server.bytes = 0;
  assert.equal(await big.has(123_456), true);
  assert(server.bytes <= most && server.requests <= 2, `${server.bytes} bytes by ${server.requests} requests`);
  server.requests = 0;
  assert.deepEqual([await big.has(123_456), server.requests], [true, 0]);
}

// What a server may do wrong. A file that is replaced is refused, though all its checksums are right.
const big = await server.open("big");
server.version = '"2"';
await assert.rejects(big.has(7), { code: "corrupt", message: /^file must not be changed while it is in use/ });
const refused = async (answer, message, code = "system error") => {
  server.answer = answer;
  await assert.rejects(server.open("big"), { name: "CrivoError", code, message });
  server.answer = undefined;
};
await refused(() => new Response("", { status: 404 }), /^http:\/\/elsewhere\/big must be readable by ranges, got status 404/);
await refused(() => new Response("x".repeat(9000), { status: 200 }), /does not know Range$/);
await refused(() => Promise.reject(new TypeError("no network")), /got no network$/);
await refused(() => new Response(new Uint8Array(4096), { status: 206 }), /^version .* ETag or Last-Modified,/);
const other = { status: 206, headers: { "content-range": "bytes 7-4102/9999", etag: "x" } };
await refused(() => new Response(new Uint8Array(4096), other), /got bytes from 7 on, and not from 0$/);
await refused(() => new Response("", { status: 206, headers: { etag: "x" } }), /^blob size must be at least 64/, "corrupt");

// Questions that miss the same wait for the same request, and a filter has 16 at a time.
const shared = await server.open("big");
server.requests = server.most = 0;
assert((await Promise.all(Array.from({ length: 100 }, () => shared.has(7)))).every(Boolean));
assert.equal(server.requests, 2);
assert((await Promise.all(Array.from({ length: 5000 }, (_, i) => shared.has(i * 79)))).every(Boolean));
assert(server.most > 8 && server.most <= 16, `${server.most} requests at a time`);

// Many questions at once, with little memory, and one that is freed while it waits.
const busy = await server.open("big", { maxMemory: 65_536 });
const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => busy.hasMany([i, i * 1999, -1 - i])));
assert(answers.every(([first, second]) => first && second));
assert((await busy.hasMany(Array.from({ length: 3000 }, (_, i) => i * 133))).every(Boolean)); // some at a time
// Their requests end, and none begins.
const many = await server.open("big", { verify: false });
const gone = Promise.allSettled(Array.from({ length: 3000 }, (_, i) => many.has(i * 131)));
server.requests = 0;
many.free();
const refusals = (await gone).filter(({ status }) => status === "rejected"); // the others were at hand
assert(refusals.length > 2500 && refusals.every(({ reason }) => /must not be used after free/.test(reason.message)));
assert(server.requests <= 16, `${server.requests} requests of a filter that is gone`);
const crowd = await server.open("big", { maxMemory: 0 });
assert((await Promise.all(Array.from({ length: 10_000 }, (_, i) => crowd.has(i * 39)))).every(Boolean));
const fresh = await server.open("big");
const waits = fresh.has(54_321);
fresh.free();
await assert.rejects(waits, { message: /must not be used after free/ });
for (const wrong of [{ maxmemory: 1 }, { verify: "no" }, { fetch: 5 }]) await assert.rejects(server.open("big", wrong), TypeError);
await assert.rejects(server.open("big", { maxMemory: -1 }), CrivoError);
assert.throws(() => new RemoteFilter(), TypeError);
