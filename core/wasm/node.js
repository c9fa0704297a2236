// For Node, whose fetch cannot read files.
import { readFile } from "node:fs/promises";
import { start } from "./start.js";

export { Filter, findShard } from "./filter.js";
export { CrivoError } from "./keys.js";
export { Sketch, sketchSymbols } from "./sketch.js";

await start(await readFile(new URL("crivo.wasm", import.meta.url)));
