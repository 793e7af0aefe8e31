// Sessions that overlap: the page's side of the Workers and the script that runs in them, with messages that are carried by hand, so
// that every order of them can be tried. The engine is a small one that counts steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle, load } from "./load.mjs";

/** In place of wasm/engine.mjs: a run has 3 steps, and an advance takes one. */
const ENGINE = `
  let next = 1;
  const open = new Map();
  class Small {
    ask(request) { return { heard: request.ask }; }
    open({ text, runs = [{ cell: 0, seed: 1 }] }) {
      open.set(next, { text, step: 0 });
      return { session: next++, runs };
    }
    advance(session, milliseconds, limit) {
      const one = open.get(session);
      if (!one) throw new Error("there is no session " + session);
      if (one.text === "broken") throw new WebAssembly.RuntimeError("unreachable");
      const moves = one.step < 3 && (limit === 0 || one.step < limit);
      if (moves) one.step++;
      const end = { runs: [{ run: 0, step: one.step, finished: one.step === 3, diverged: false }], ended: one.step === 3, train_ms: 1, steps: moves ? 1 : 0 };
      const text = new TextEncoder().encode(JSON.stringify(end));
      const bytes = new Uint8Array(12 + text.length);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, 0x31465441, true);
      view.setUint32(8, text.length, true);
      bytes.set(text, 12);
      return bytes;
    }
    close(session) { open.delete(session); }
  }
  export const instantiate = async () => new Small();
`;

const WORKER = await bundle("engine/worker.ts", {
  format: "iife",
  plugins: [
    {
      name: "a small engine",
      setup(build) {
        build.onResolve({ filter: /^atto-engine$/ }, ({ path }) => ({ path, namespace: "small" }));
        build.onLoad({ filter: /.*/, namespace: "small" }, () => ({ contents: ENGINE }));
      },
    },
  ],
});
const { WasmEngine } = await load("engine/wasm_engine.ts");

/** All that is on its way, oldest first. */
let post = [];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Delivers messages until none is left, or until `stop` says so of the next one. */
async function deliver(stop = () => false) {
  for (await settle(); post.length && !stop(post[0].message); await settle()) {
    const { message, to } = post.shift();
    await to(message);
  }
}

/** A Worker that runs the page's own script, and gets and sends its messages by way of `post`. */
class HandWorker {
  constructor() {
    const sent = (message) => post.push({ message, to: (data) => this.onmessage({ data }) });
    // Between two slices of training the script sends a message to itself.
    const Channel = class {
      port1 = {};
      port2 = { postMessage: () => post.push({ message: { kind: "slice" }, to: () => this.port1.onmessage() }) };
    };
    const script = new Function("postMessage", "MessageChannel", `let onmessage; ${WORKER}; return (event) => onmessage(event);`);
    this.script = script(sent, Channel);
  }
  postMessage(message) {
    post.push({ message, to: (data) => this.script({ data }) });
  }
  terminate() {}
}

function startEngine(workers = 1) {
  globalThis.Worker = HandWorker;
  URL.createObjectURL = () => "";
  post = [];
  return new WasmEngine("", Promise.resolve({}), workers);
}

/** Steps at which a session's runs are seen. */
function watch(session) {
  const seen = [];
  session.onFrame((frame) => seen.push(...frame.runs.map(({ step }) => step), ...(frame.ended ? ["ended"] : [])));
  session.onError((error) => seen.push(error.message));
  return seen;
}

test("a session trains to its end, by a limit and without one", async () => {
  const opening = startEngine().open("study");
  await deliver();
  const session = await opening;
  const seen = watch(session);
  session.limit(2);
  session.resume();
  await deliver();
  assert.deepEqual(seen, [1, 2]);
  session.limit(null);
  await deliver();
  assert.deepEqual(seen, [1, 2, 3, "ended"]);
});

test("closing an older session leaves the newer one alone, however late the word comes", async () => {
  const engine = startEngine();
  const both = [engine.open("older"), engine.open("newer")];
  await deliver();
  const [older, newer] = await Promise.all(both);
  const seen = [watch(older), watch(newer)];
  newer.resume();
  older.close(); // the Worker has the newer one open by now
  older.resume();
  await deliver();
  assert.deepEqual(seen, [[], [1, 2, 3, "ended"]]);
});

test("frames of an older session that are still on their way do not reach the newer one", async () => {
  const engine = startEngine();
  const first = engine.open("older");
  await deliver();
  const older = await first;
  const seen = [watch(older)];
  older.resume();
  await deliver(({ kind }) => kind === "frame");
  const late = post.shift();
  assert.equal(late.message.kind, "frame");
  const second = engine.open("newer");
  await deliver();
  const newer = await second;
  seen.push(watch(newer));
  older.close();
  post.push(late);
  await deliver();
  assert.deepEqual(seen[1], []);
  newer.resume();
  await deliver();
  assert.deepEqual(seen[1], [1, 2, 3, "ended"]);
});

test("runs go to as many Workers as there are runs, and the last to end ends the session", async () => {
  const opening = startEngine(3).open("study", [
    { cell: 0, seed: 1 },
    { cell: 0, seed: 2 },
  ]);
  await deliver();
  const session = await opening;
  const seen = watch(session);
  assert.deepEqual(session.runs.map(({ seed }) => seed).sort(), [1, 2]);
  session.resume();
  await deliver();
  assert.equal(seen.filter((one) => one === 3).length, 2);
  assert.deepEqual(seen.slice(-1), ["ended"]);
  assert.equal(seen.indexOf("ended"), seen.length - 1);
});

test("a Worker that breaks is told of, and whoever waits for one that is replaced hears so", async () => {
  const engine = startEngine();
  const opening = engine.open("broken");
  await deliver();
  const session = await opening;
  const seen = watch(session);
  session.resume();
  await deliver();
  assert.match(seen.join(), /stopped in one Worker/);
  const next = engine.open("study");
  await deliver();
  assert.equal((await next).runs.length, 1);
});

test("an engine that cannot be compiled is said to whoever asks", async () => {
  globalThis.Worker = HandWorker;
  const engine = new WasmEngine("", Promise.reject(new Error("no memory")), 1);
  await assert.rejects(engine.ask({ ask: "about" }), /no memory/);
  await assert.rejects(engine.open("study"), /no memory/);
});

const { Judging } = await load("state/judging.ts");

/** A judge whose answers are given by hand. */
function slowJudge() {
  const asked = [];
  let now = 0;
  const judging = new Judging(
    () => new Promise((resolve) => asked.push(resolve)),
    () => now,
  );
  return { asked, judging, pass: (ms) => (now += ms) };
}

test("the judge is asked once more when runs end while it thinks", async () => {
  const { asked, judging } = slowJudge();
  void judging.look(false);
  void judging.look(true);
  assert.equal(asked.length, 1);
  asked[0]();
  await settle();
  assert.equal(asked.length, 2);
  asked[1]();
  await settle();
  assert.equal(asked.length, 2);
});

test("the judge is asked one thing at a time and a few times a second, but at the end at once", async () => {
  const { asked, judging, pass } = slowJudge();
  void judging.look(false);
  pass(1000);
  void judging.look(false);
  assert.equal(asked.length, 1);
  asked[0]();
  await settle();
  void judging.look(false);
  asked[1]?.();
  await settle();
  assert.equal(asked.length, 2);
  pass(100);
  void judging.look(false);
  assert.equal(asked.length, 2);
  void judging.look(true);
  assert.equal(asked.length, 3);
});
