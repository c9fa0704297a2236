// What the package for Node is made of.
export { Filter } from "./filter.js";
export { CrivoError } from "./keys.js";
export { use } from "./room.js";
export { Sketch, sketchSymbols } from "./sketch.js";
