// What the types allow, and, after @ts-expect-error, what they reject.
import {
  CrivoError, Filter, Sketch, findShard, sketchSymbols, type Difference, type Info, type Key, type Options,
  type Shard, type SketchInfo,
} from "crivo-wasm";

const options: Options = { kind: "ribbon", fpRate: 0.001, seed: 7n };
const keys: Key[] = ["a", 1, 2n, new Uint8Array(2)];
const filter: Filter = Filter.build(new Set(keys), options);
const answer: boolean = filter.has(7);
const answers: boolean[] = filter.hasMany(keys);
const info: Info = filter.info;
const blob: Uint8Array = Filter.open(filter.toBytes("mappable"), { maxBytes: 1 << 20 }).toBytes();
Filter.create({ capacity: 10 }).addMany(["a"]);
const code: string = new CrivoError().code;
console.log(answer, answers, info.can.includes("grow"), blob, code);
const sketch: Sketch = Sketch.of([1, 2n, "a"], { symbols: sketchSymbols(9) });
const difference: Difference | undefined = Sketch.open(sketch.toBytes()).difference(sketch);
const sketchInfo: SketchInfo = sketch.info;
console.log(difference?.onlyThis.length, sketchInfo.size);
const shard: Shard = findShard(blob, 7);
console.log(shard.number, shard.name);
// @ts-expect-error
Sketch.of(["a"], {});
// @ts-expect-error
sketch.difference(filter);
// @ts-expect-error
Filter.create({ kind: "blocked" });
// @ts-expect-error
new Filter();
// @ts-expect-error
filter.has(null);
// @ts-expect-error
filter.toBytes("smallest");
