// The package as an ES module; index.js describes it.
export { CrivoError, Filter, Sketch, findShard, getLoadablePath, load, sketchSymbols } from "./index.js";
