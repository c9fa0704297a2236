// The exports of the package for Node.
export { Filter, findShard } from "./filter.js";
export { CrivoError } from "./keys.js";
export { use } from "./buffer.js";
export { Sketch, sketchSymbols } from "./sketch.js";
