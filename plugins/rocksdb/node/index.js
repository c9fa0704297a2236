// Loads crivo_rocksdb.node, whose filter policies register with the RocksDB in @nxtedition/rocksdb.
//
// The native module of @nxtedition/rocksdb exports RocksDB's symbols, but Node loads modules with RTLD_LOCAL, which
// hides the symbols from other modules. Loading the module again with RTLD_GLOBAL makes its symbols visible, without a
// second copy. RTLD_LAZY is required, because the module refers to a symbol that no library defines.
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { RTLD_GLOBAL, RTLD_LAZY } = os.constants.dlopen;

const peer = "@nxtedition/rocksdb";
const built = require("./package.json").peerDependencies[peer];

/** The folder and the version of the package that contains this module. */
function packageOf(module) {
  for (let folder = path.dirname(module); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    if (name === peer) return { folder, version };
    if (folder === path.dirname(folder)) throw new Error(`crivo-rocksdb: ${module} must be inside the package ${peer}`);
  }
}

const { folder, version } = packageOf(require.resolve(peer));
if (version !== built) {
  throw new Error(`crivo-rocksdb: ${peer} must be version ${built}, which it was built for, got ${version}`);
}
const binding = require(require.resolve("node-gyp-build", { paths: [folder] })).resolve(folder);
process.dlopen({ exports: {} }, binding, RTLD_LAZY | RTLD_GLOBAL);
process.dlopen({ exports: {} }, path.join(__dirname, "linux-x64/crivo_rocksdb.node"), RTLD_LAZY);
