// Loads crivo_rocksdb.node, whose filter policies register with the RocksDB inside of @nxtedition/rocksdb.
//
// That module shows RocksDB's symbols, but Node loads modules so that no other sees them. So it is loaded once more
// here, for all to see: the system then makes them visible, without a second copy. It must be loaded lazily, as it names
// a symbol that nobody has.
"use strict";
const { readFileSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { RTLD_GLOBAL, RTLD_LAZY } = os.constants.dlopen;

/** The folder of the package that a module of it lies in. */
function folderOf(module) {
  let folder = path.dirname(module);
  while (path.basename(folder) !== "rocksdb") folder = path.dirname(folder);
  return folder;
}

const built = require("./package.json").peerDependencies["@nxtedition/rocksdb"];
const folder = folderOf(require.resolve("@nxtedition/rocksdb"));
const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
if (version !== built) {
  throw new Error(`crivo-rocksdb: @nxtedition/rocksdb must be version ${built}, which it was built for, got ${version}`);
}
const binding = require(require.resolve("node-gyp-build", { paths: [folder] })).resolve(folder);
process.dlopen({ exports: {} }, binding, RTLD_LAZY | RTLD_GLOBAL);
process.dlopen({ exports: {} }, path.join(__dirname, "linux-x64/crivo_rocksdb.node"), RTLD_LAZY);
