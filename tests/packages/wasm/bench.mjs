// The nanoseconds of a lookup among a million keys, the best of 20 rounds. Copy this file next to the installed
// package, and run it without arguments. "compiled" is the function of crivo.wasm, called without filter.js for bytes
// in its memory.
import { readFileSync } from "node:fs";
import { Filter } from "crivo-wasm";

const ASKED = 100_000;
const KEYS = 1_000_000;

function best(ask) {
  let least = Infinity;
  for (let round = 0; round < 20; ++round) {
    const start = process.hrtime.bigint();
    ask();
    least = Math.min(least, Number(process.hrtime.bigint() - start) / ASKED);
  }
  return least.toFixed(1);
}

function compiled(blob) {
  const module = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("crivo-wasm/crivo.wasm"))));
  const imports = { env: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 52;
  const { _initialize, memory, open, grow_buffer, has } = new WebAssembly.Instance(module, imports).exports;
  _initialize();
  const at = grow_buffer(blob.length);
  new Uint8Array(memory.buffer).set(blob, at);
  const filter = open(blob.length, 2 ** 30);
  const bytes = new Uint8Array(memory.buffer);
  return best(() => {
    for (let i = 0; i < ASKED; ++i) {
      bytes[at + 11] = i; // the queried key: the twelve bytes where the blob began
      has(filter, 12);
    }
  });
}

function* present() {
  for (let i = 0; i < KEYS; ++i) yield `present-${i}`;
}

const words = Array.from({ length: ASKED }, (_, i) => `absent-${i}`);
const asked = {
  strings: words,
  integers: words.map((_, i) => 5e9 + i),
  bytes: words.map((word) => new TextEncoder().encode(word)),
};
for (const kind of ["blocked", "ribbon"]) {
  const filter = Filter.build(present(), { kind });
  const times = { compiled: compiled(filter.toBytes()) };
  for (const [name, keys] of Object.entries(asked)) {
    times[name] = best(() => {
      for (const key of keys) filter.has(key);
    });
  }
  times.hasMany = best(() => filter.hasMany(words));
  console.log(kind, times);
}
