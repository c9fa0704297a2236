// Loads crivo_rocksdb.node, whose filter policies register with the RocksDB inside of @nxtedition/rocksdb.
//
// That module exports RocksDB's symbols, but Node loads modules so that no other sees them. So it is loaded once more
// here, for all to see: the system then makes them visible, without a second copy. It must be loaded lazily, as it names
// a symbol that nobody has.
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { RTLD_GLOBAL, RTLD_LAZY } = os.constants.dlopen;

const peer = "@nxtedition/rocksdb";
const built = require("./package.json").peerDependencies[peer];

/** The folder of the package that a module of it lies in, and its version. */
function packageOf(module) {
  for (let folder = path.dirname(module); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    if (name === peer) return { folder, version };
    if (folder === path.dirname(folder)) throw new Error(`crivo-rocksdb: ${module} must lie in the package ${peer}`);
  }
}

const { folder, version } = packageOf(require.resolve(peer));
if (version !== built) {
  throw new Error(`crivo-rocksdb: ${peer} must be version ${built}, which it was built for, got ${version}`);
}
const binding = require(require.resolve("node-gyp-build", { paths: [folder] })).resolve(folder);
process.dlopen({ exports: {} }, binding, RTLD_LAZY | RTLD_GLOBAL);
process.dlopen({ exports: {} }, path.join(__dirname, "linux-x64/crivo_rocksdb.node"), RTLD_LAZY);
