// Nanoseconds of a question to a million keys, the best of 20 rounds: bench.mjs, run where the package is installed.
// "compiled" is the function of crivo.wasm, for bytes that lie in its memory; it does without filter.js.
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
  const { _initialize, memory, open, room, has } = new WebAssembly.Instance(module, imports).exports;
  _initialize();
  const at = room(blob.length);
  new Uint8Array(memory.buffer).set(blob, at);
  const filter = open(blob.length, 2 ** 30);
  const bytes = new Uint8Array(memory.buffer);
  return best(() => {
    for (let i = 0; i < ASKED; ++i) {
      bytes[at + 11] = i; // of the twelve bytes that are asked for, where the blob began
      has(filter, 12);
    }
  });
}

const words = Array.from({ length: ASKED }, (_, i) => `absent-${i}`);
const numbers = words.map((_, i) => 5e9 + i);
for (const kind of ["blocked", "ribbon"]) {
  const filter = Filter.build((function* () { for (let i = 0; i < KEYS; ++i) yield `present-${i}`; })(), { kind });
  const asked = { strings: words, integers: numbers, bytes: words.map((word) => new TextEncoder().encode(word)) };
  const times = Object.entries(asked).map(([name, keys]) => `${name} ${best(() => { for (const key of keys) filter.has(key); })}`);
  console.log(kind, "compiled", compiled(filter.toBytes()), ...times, "hasMany", best(() => filter.hasMany(words)));
}
