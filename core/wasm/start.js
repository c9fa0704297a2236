// Compiles crivo.wasm, and connects the classes to it.
import { spell, writeKey } from "./keys.js";
import { memoryMoved, use } from "./buffer.js";

/** Starts the module with these bytes. index.js and node.js call this first. */
export async function start(source) {
  const module = await WebAssembly.compile(source);
  const imports = { env: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const refusal = from === "env" ? -52 : 52; // ENOSYS: no files and no environment
    (imports[from] ??= {})[name] = () => refusal;
  }
  let wasm;
  imports.env.spell = (number, at) => at + writeKey(spell(number), new Uint8Array(wasm.memory.buffer), at);
  imports.env.emscripten_notify_memory_growth = memoryMoved;
  wasm = { ...(await WebAssembly.instantiate(module, imports)).exports };
  use(wasm);
  wasm._initialize();
}
