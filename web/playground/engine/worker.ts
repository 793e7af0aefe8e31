// One Worker, one instance of the engine. It answers questions, or trains its share of a session between the messages it gets.
import { instantiate, type Engine } from "atto-engine";

type Message =
  | { kind: "start"; wasm: WebAssembly.Module }
  | { kind: "ask"; id: number; request: unknown }
  | { kind: "open"; id: number; request: unknown }
  | { kind: "go"; session: number; going: boolean; limit: number | null }
  | { kind: "close"; session: number };

const SLICE = 12; // milliseconds of training between messages: short, so that a pause is felt at once

let engine: Engine | undefined;
let session = 0; // as the engine counts; 0: none is open
let name = 0; // of the session: the request that opened it
let going = false;
let limit: number | null = null;
let reached = false; // every run stands at the limit
let ended = false;
let scheduled = false;

// A macrotask without the 4 ms that browsers put between timers: messages of the page come in between.
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  scheduled = false;
  train();
};

function schedule(): void {
  if (scheduled || !going || ended || reached || !session) return;
  scheduled = true;
  port2.postMessage(null);
}

function fail(error: unknown, id: number | null = null): void {
  const { message = String(error), remedy = "", line = null } = error as { message?: string; remedy?: string; line?: number | null };
  going = false;
  // A trap, or no memory left: this instance cannot go on. Whatever the lab itself says comes as an ordinary error.
  const broken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  postMessage({ kind: "failed", id, session: name, broken, message, remedy, line });
}

/** What the end of a frame tells: whether all runs have ended, and whether any moved. */
function readEnd(bytes: Uint8Array): { ended: boolean; steps: number } {
  const text = new TextDecoder().decode(bytes.subarray(bytes.lastIndexOf(0x5d))); // from the last "]", that of the runs
  return { ended: /"ended":true/.test(text), steps: Number(/"steps":(\d+)/.exec(text)?.[1] ?? 0) };
}

function train(): void {
  if (!engine || !going || ended || !session) return;
  try {
    const bytes = engine.advance(session, SLICE, limit ?? 0);
    const end = readEnd(bytes);
    ended = end.ended;
    reached = limit !== null && end.steps === 0;
    if (ended || end.steps > 0) postMessage({ kind: "frame", session: name, bytes: bytes.buffer }, { transfer: [bytes.buffer] });
    schedule();
  } catch (error) {
    fail(error);
  }
}

function close(): void {
  if (session) engine?.close(session);
  session = name = 0;
  ended = reached = going = false;
}

onmessage = async ({ data }: MessageEvent<Message>) => {
  try {
    if (data.kind === "start") {
      engine = await instantiate(data.wasm);
      postMessage({ kind: "ready" });
    } else if (data.kind === "ask") {
      postMessage({ kind: "answer", id: data.id, answer: engine?.ask(data.request) });
    } else if (data.kind === "open") {
      close();
      const opened = engine?.open(data.request);
      session = opened?.session ?? 0;
      name = data.id;
      postMessage({ kind: "answer", id: data.id, answer: opened });
    } else if (data.session !== name) {
      // Somebody speaks of a session that another one has replaced.
    } else if (data.kind === "go") {
      if (limit !== data.limit) reached = false;
      ({ going, limit } = data);
      schedule();
    } else close();
  } catch (error) {
    fail(error, "id" in data ? data.id : null);
  }
};
