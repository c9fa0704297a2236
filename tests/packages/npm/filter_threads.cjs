// The class Filter in threads of Node, in a second copy of the module, and whose filters are garbage.
const assert = require("node:assert/strict");
const { Worker, isMainThread } = require("node:worker_threads");
const { Filter } = require("crivo");

function makesAndAsks() {
  for (let round = 0; round < 200; ++round) {
    const keys = Array.from({ length: 500 }, (_, i) => `${round} ${i}`);
    const filter = Filter.build(keys, { kind: round % 2 ? "ribbon" : "blocked" });
    assert.ok(filter.hasMany(keys).every(Boolean) && Filter.open(filter.toBytes()).has(keys[7]));
  }
}

if (isMainThread) {
  const workers = [1, 2, 3].map(() => new Worker(__filename));
  makesAndAsks();
  const ends = workers.map((worker) => new Promise((resolve, reject) => worker.on("error", reject).on("exit", resolve)));

  const first = Filter.build(["first"]);
  for (const name of Object.keys(require.cache)) if (name.includes("/crivo/")) delete require.cache[name];
  const { Filter: Second } = require("crivo");
  assert.notEqual(Second, Filter);
  const second = Second.build(Array.from({ length: 100_000 }, (_, i) => i));
  assert.ok(first.has("first") && second.has(99_999) && !first.has("second") && first.has("first"));

  // What is garbage is freed once the loop of events turns: 150 filters of 100 MB, of which few are there at a time.
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  (async () => {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 150; ++i) {
      Filter.build([1], { capacity: 8e7, bitsPerKey: 10, kind: "classic" }).addMany(Array.from({ length: 20_000 }, (_, k) => k));
      await turn();
      const grown = process.memoryUsage().rss - before;
      assert.ok(grown < 5e9, `${grown} bytes after ${i} filters`);
    }
    assert.deepEqual(await Promise.all(ends), [0, 0, 0]);
  })();
} else {
  makesAndAsks();
}
