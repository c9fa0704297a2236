// For browsers and what packs for them: crivo.wasm lies beside this file.
import { start } from "./start.js";

export { CrivoError, Filter, RemoteFilter, Sketch, sketchSymbols } from "./all.js";

const url = new URL("crivo.wasm", import.meta.url);
const response = await fetch(url);
if (!response.ok) throw new Error(`crivo.wasm must lie beside index.js, got ${response.status} for ${url}`);
await start(await response.arrayBuffer());
