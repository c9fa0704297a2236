// Compiles crivo.wasm, and lets the classes use it.
import { spell, writeKey } from "./keys.js";
import { memoryMoved, use } from "./room.js";

/** Takes the bytes of the module: index.js and node.js call it, before anything else. */
export async function start(source) {
  const module = await WebAssembly.compile(source);
  const imports = { env: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const refusal = from === "env" ? -52 : 52; // ENOSYS: there are no files here, and no environment
    (imports[from] ??= {})[name] = () => refusal;
  }
  let wasm;
  imports.env.spell = (number, at) => at + writeKey(spell(number), new Uint8Array(wasm.memory.buffer), at);
  imports.env.emscripten_notify_memory_growth = memoryMoved;
  wasm = { ...(await WebAssembly.instantiate(module, imports)).exports };
  use(wasm);
  wasm._initialize();
}
