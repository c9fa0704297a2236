// The package for import; index.js says what it does.
export { CrivoError, Filter, Sketch, findShard, getLoadablePath, load, sketchSymbols } from "./index.js";
