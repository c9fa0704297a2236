// getLoadablePath() on platforms that the package is not for. This machine is none of them, so what Node says about the
// machine is replaced, and so is the list of the libraries that a process on Alpine has.
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const crivo = require("crivo");

const wanted = "crivo: the platform must be linux-x64 or linux-arm64 with glibc, got";
assert.equal(crivo.getLoadablePath(), path.join(path.dirname(require.resolve("crivo")), "linux-x64", "crivo.so"));

for (const machine of ["darwin-arm64", "win32-x64", "linux-ia32"]) {
  for (const call of ["getLoadablePath()", "load({ loadExtension() {} })"]) {
    const options = { encoding: "utf8", env: { ...process.env, PRETENDED: machine } };
    const done = spawnSync(process.execPath, ["--require", "./pretend.cjs", "-e", `require("crivo").${call}`], options);
    assert.ok(done.stderr.includes(`Error: ${wanted} ${machine}\n`), done.stderr);
  }
}

const { readFileSync } = fs;
fs.readFileSync = (file, ...rest) => {
  if (file !== "/proc/self/maps") return readFileSync(file, ...rest);
  return "7f5c0a000000-7f5c0a015000 r--p 00000000 08:01 42                 /lib/ld-musl-x86_64.so.1\n";
};
assert.throws(() => crivo.getLoadablePath(), { message: `${wanted} linux-x64 with musl` });

// Where the libraries cannot be listed, as without /proc, the loader has to say what it misses.
fs.readFileSync = () => {
  throw new Error("ENOENT");
};
const file = crivo.getLoadablePath();

fs.renameSync(file, "elsewhere");
assert.throws(() => crivo.getLoadablePath(), { message: `crivo: the package must contain ${file}; reinstall the package` });

// Filter is there wherever the package is loaded, and says at its first use what is missing.
const without = path.join(path.dirname(file), "crivo.node");
fs.renameSync(without, "without.node");
const first = spawnSync(process.execPath, ["-e", 'require("crivo").Filter.build([])'], { encoding: "utf8" });
assert.ok(first.stderr.includes(`Error: crivo: the package must contain ${without}; reinstall the package\n`), first.stderr);
