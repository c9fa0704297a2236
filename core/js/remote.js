// The class RemoteFilter, on the functions of exports.h: a filter on a server, of which a question fetches what it
// reads. A question says what it misses; that is fetched; then it is asked again. In between, others may be asked, and
// use the room. So a question puts its keys there each time, and its answers are taken at once.
import { CrivoError, orderedKey, plainKey } from "./keys.js";
import { BATCH, LITTLE_ENDIAN, batchesOf, bytes, checkOptions, decoder, fail, infoOf, leaveRoom, makeRoom, native, putBatch,
  putBytes, putKey, room, roomMoved, valuesOf, wholeNumber } from "./room.js";

const OPTIONS = ["maxMemory", "verify", "fetch"];
const DEFAULT_MAX_MEMORY = 2 ** 26;
const ANSWER = 8; // bytes
const AT_ONCE = 16; // requests of a filter
const LARGE = 2 ** 20; // bytes, for which the room is not kept
const MOST_MANIFESTS = 3; // that are read again for one question
const CROWDED = -2; // what a question returns that needs too much memory
const [WHOLE, PARTIAL, NOT_SATISFIABLE] = [200, 206, 416]; // the last: the file ends before

const encoder = new TextEncoder();

function unreadable(address, reason, cause) {
  const error = new CrivoError(`${address} must be readable by ranges, got ${reason}`, "system error");
  error.cause = cause;
  return error;
}

/** Why a response has not the bytes that were asked for; nothing if it has. */
function refusalOf({ status, headers }, offset, wanted) {
  const bytesOf = Number(headers.get("content-length") ?? NaN);
  if (status === WHOLE && offset === 0 && bytesOf <= wanted) return undefined; // a small file
  if (status === WHOLE) return "the whole file: its server does not know Range";
  if (status !== PARTIAL) return `status ${status}`;
  if (bytesOf > wanted) return `${bytesOf} bytes, and not ${wanted}`;
  const start = headers.get("content-range")?.match(/^bytes (\d+)-/)?.[1] ?? offset; // which other origins may not see
  return Number(start) === offset ? undefined : `bytes from ${start} on, and not from ${offset}`;
}

/** Some bytes of a file, fewer where it ends, and what tells its version from others. */
async function readRange(fetchIt, address, offset, wanted, options) {
  const headers = { Range: `bytes=${offset}-${offset + wanted - 1}` };
  const response = await fetchIt(address, { headers, ...options });
  const refusal = refusalOf(response, offset, wanted);
  if (refusal === undefined) {
    const found = new Uint8Array(await response.arrayBuffer()).subarray(0, wanted);
    return { found, version: response.headers.get("etag") ?? response.headers.get("last-modified") ?? "" };
  }
  response.body?.cancel().catch(() => {});
  if (response.status === NOT_SATISFIABLE) return { found: new Uint8Array(), version: "" };
  throw new Error(refusal);
}

const freed = new FinalizationRegistry((filter) => native.remote_close(filter));
const made = Symbol("made");

export class RemoteFilter {
  #filter;
  #address;
  #fetch;
  #known = plainKey;
  #asking = 0; // questions
  #waiting = []; // those that find no memory
  #fetching = 0; // requests
  #queue = []; // those that wait for others
  #underWay = new Map(); // by what they fetch
  #ended = new AbortController();

  constructor(token, address, options) {
    if (token !== made) throw new TypeError("a filter that lies elsewhere must be opened by RemoteFilter.open");
    const { maxMemory = DEFAULT_MAX_MEMORY, verify = true, fetch = globalThis.fetch } = options;
    if (typeof verify !== "boolean") throw new TypeError(`verify must be true or false, got ${String(verify)}`);
    if (typeof fetch !== "function") throw new TypeError(`fetch must be a function, got ${typeof fetch}`);
    this.#address = address;
    this.#fetch = fetch;
    this.#filter = native.remote(wholeNumber("maxMemory", maxMemory), verify ? 1 : 0) || fail();
    freed.register(this, this.#filter, this);
  }

  static async open(url, options = {}) {
    checkOptions(options, OPTIONS);
    const filter = new RemoteFilter(made, new URL(url?.href ?? url, globalThis.location?.href), options);
    try {
      await filter.#ask(() => native.remote_open(filter.#open));
      if (filter.info.can.includes("range")) filter.#known = orderedKey;
    } catch (error) {
      filter.free();
      throw error;
    }
    return filter;
  }

  get #open() {
    if (this.#filter === 0) throw new CrivoError("filter must not be used after free()");
    return this.#filter;
  }

  /**
   * Calls question() until it misses nothing, and then take(), which finds the answers in the room. False where fewer
   * keys must be asked at a time. A question that finds no memory waits for the others, lest it give up what they fetch.
   */
  async #ask(question, take) {
    const hasRoom = () => this.#asking === 0 || native.remote_has_room(this.#open);
    const letNextGo = () => this.#waiting.shift()?.();
    try {
      while (!hasRoom()) await new Promise((go) => this.#waiting.push(go));
      native.remote_make_room(this.#open);
    } catch (error) {
      letNextGo();
      throw error;
    }
    ++this.#asking;
    if (this.#waiting.length > 0 && hasRoom()) letNextGo();
    try {
      return await this.#askUntilAnswered(question, take);
    } finally {
      --this.#asking;
      letNextGo();
    }
  }

  async #askUntilAnswered(question, take = () => {}) {
    for (let manifests = 0; ; ) {
      const size = question();
      if (size === CROWDED) return false;
      if (size < 0) fail();
      roomMoved();
      if (size === 0) {
        take();
        return true;
      }
      const ranges = JSON.parse(decoder.decode(bytes.subarray(room, room + size)));
      const errors = await this.#fetchAll(ranges);
      if (errors.length === 0) continue;
      // A part that cannot be read may have been replaced: then the manifest names another file.
      const isPart = errors.every(({ error, file }) => error.code === "system error" && file !== "");
      if (!isPart || manifests++ === MOST_MANIFESTS) throw errors[0].error;
      native.remote_read_manifest_again(this.#open);
      await this.#askUntilAnswered(() => native.remote_open(this.#open));
      const isNamed = ({ file }) => native.remote_names(this.#open, putKey(file, plainKey));
      if (errors.every(isNamed)) throw errors[0].error;
    }
  }

  /** Fetches these ranges, and gives the errors of those that could not be read. */
  async #fetchAll(ranges) {
    const errors = [];
    const fetchOne = ([file, offset, wanted]) =>
      this.#fetchOnce(file, offset, wanted).catch((error) => errors.push({ error, file }));
    await Promise.all(ranges.map(fetchOne));
    return errors;
  }

  /** Questions that miss the same range wait for the same request. */
  #fetchOnce(file, offset, wanted) {
    const name = `${file} ${offset} ${wanted}`;
    if (!this.#underWay.has(name)) {
      const fetched = this.#inTurn(() => this.#fetchOne(file, offset, wanted));
      this.#underWay.set(name, fetched.finally(() => this.#underWay.delete(name)));
    }
    return this.#underWay.get(name);
  }

  async #inTurn(work) {
    if (this.#fetching === AT_ONCE) await new Promise((go) => this.#queue.push(go));
    else ++this.#fetching;
    try {
      await work();
    } finally {
      const next = this.#queue.shift(); // takes this one's place
      if (next) next();
      else --this.#fetching;
    }
  }

  async #fetchOne(file, offset, wanted) {
    void this.#open; // while this waited for others it may have been freed
    const address = new URL(this.#address);
    address.pathname += file;
    const cache = file === "" ? "no-store" : "default"; // a part's file is never replaced
    const options = { cache, signal: this.#ended.signal };
    const { found, version } = await readRange(this.#fetch, address.href, offset, wanted, options).catch((error) => {
      void this.#open;
      throw unreadable(address, error?.message ?? String(error), error);
    });
    const texts = [file, version].map((text) => encoder.encode(text));
    putBytes(...texts, found);
    native.remote_supply(this.#open, texts[0].length, texts[1].length, found.length, offset, wanted) || fail();
    if (found.length > LARGE) leaveRoom();
  }

  async #askMany(keys, question, take) {
    let first = 0;
    for (const batch of batchesOf(keys)) {
      await this.#askBatch(batch, first, question, take);
      first += batch.length;
    }
  }

  async #askBatch(batch, first, question, take) {
    const put = () => {
      putBatch(batch, this.#known, first);
      makeRoom(ANSWER * BATCH);
      return question(this.#open, batch.length);
    };
    if (await this.#ask(put, () => take(batch.length))) return;
    const half = batch.length >> 1;
    await this.#askBatch(batch.slice(0, half), first, question, take);
    await this.#askBatch(batch.slice(half), first + half, question, take);
  }

  async has(key) {
    return (await this.hasMany([key]))[0];
  }

  async hasMany(keys) {
    const answers = [];
    await this.#askMany(keys, native.remote_has_many, (count) => {
      for (let i = 0; i < count; ++i) answers.push(bytes[room + i] === 1);
    });
    return answers;
  }

  async get(key) {
    return (await this.getMany([key]))[0];
  }

  async getMany(keys) {
    const answers = [];
    await this.#askMany(keys, native.remote_find_many, (count) => answers.push(...valuesOf(count)));
    return answers;
  }

  async hasRange(low, high) {
    if (this.#known !== orderedKey) throw new CrivoError(`kind must be range, got ${this.info.kind}`, "unsupported");
    const ends = [orderedKey(low, "low"), orderedKey(high, "high")];
    let hit;
    const put = () => {
      putBytes(...ends);
      return native.remote_has_range(this.#open, ends[0].length, ends[1].length);
    };
    await this.#ask(put, () => (hit = bytes[room] === 1));
    return hit;
  }

  async count(key) {
    let times;
    const put = () => {
      makeRoom(ANSWER);
      return native.remote_count(this.#open, putKey(key, this.#known));
    };
    await this.#ask(put, () => (times = new DataView(bytes.buffer, room, ANSWER).getFloat64(0, LITTLE_ENDIAN)));
    return times;
  }

  get info() {
    return infoOf(native.remote_facts(this.#open));
  }

  free() {
    freed.unregister(this);
    if (this.#filter !== 0) native.remote_close(this.#filter);
    this.#filter = 0;
    this.#ended.abort();
  }
}
