// For browsers and bundlers: crivo.wasm is in the folder of this file.
import { start } from "./start.js";

export { Filter, findShard } from "./filter.js";
export { CrivoError } from "./keys.js";
export { Sketch, sketchSymbols } from "./sketch.js";

const url = new URL("crivo.wasm", import.meta.url);
const response = await fetch(url);
if (!response.ok) throw new Error(`crivo.wasm must be in the folder of index.js, got ${response.status} for ${url}`);
await start(await response.arrayBuffer());
