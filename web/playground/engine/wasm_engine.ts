// The engine in the page: one Worker answers questions, the others train, each with an instance and a share of the runs of its own.
import { EngineError, type Engine, type Frame, type RunKey, type Session } from "./engine.ts";
import { decodeFrame } from "./frame.ts";

type Reply =
  | { kind: "ready" }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "frame"; session: number; bytes: ArrayBuffer }
  | { kind: "failed"; id: number | null; session: number; broken: boolean; message: string; remedy: string; line: number | null };

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Whoever opened a session, and is told of what happens in it. */
interface Listener {
  onFrame: (frame: Frame) => void;
  onError: (error: EngineError) => void;
}

const BROKEN = [
  "The engine stopped in one Worker, most likely for want of memory.",
  "Take fewer seeds or a smaller network; atto on the command line has all of the machine's memory.",
] as const;

/**
 * One Worker as the page sees it. A session is named by the request that opened it, and every message about a session says which one
 * it means: openings overlap when settings change quickly, and a word about an older session must not touch the one that came after it.
 */
class EngineWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<number, Listener>();
  readonly ready: Promise<void>;
  #next = 1;
  broken = false;

  constructor(script: string, wasm: Promise<WebAssembly.Module>) {
    this.#worker = new Worker(script);
    this.ready = new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.kind === "ready") resolve();
        else if (data.kind === "frame") this.#listeners.get(data.session)?.onFrame(decodeFrame(new Uint8Array(data.bytes)));
        else if (data.kind === "failed") {
          const error = data.broken ? new EngineError(...BROKEN) : new EngineError(data.message, data.remedy, data.line);
          this.broken ||= data.broken;
          reject(error);
          if (data.id === null) this.#listeners.get(data.session)?.onError(error);
          else this.#settle(data.id, (one) => one.reject(error));
        } else this.#settle(data.id, (one) => one.resolve(data.answer));
      };
      this.#worker.onerror = (event) => {
        event.preventDefault();
        const error = new EngineError(...BROKEN);
        reject(error);
        this.#end(error);
      };
      wasm.then((module) => this.post({ kind: "start", wasm: module }), reject);
    });
    this.ready.catch(() => {}); // whoever asks is told
  }

  /** Nothing more will come from this Worker. */
  #end(error: EngineError): void {
    this.broken = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const { onError } of this.#listeners.values()) onError(error);
  }

  #settle(id: number, give: (one: Waiting) => void): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (one) give(one);
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  async #request(kind: "ask" | "open", request: unknown): Promise<{ id: number; answer: unknown }> {
    await this.ready;
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.post({ kind, id, request });
    return { id, answer: await answer };
  }

  async ask<T>(request: unknown): Promise<T> {
    return (await this.#request("ask", request)).answer as T;
  }

  /** Opens a session in place of the one that is open. */
  async open(request: unknown): Promise<Share> {
    const { id, answer } = await this.#request("open", request);
    return new Share(this, id, (answer as { runs: RunKey[] }).runs);
  }

  listen(session: number, listener: Listener): void {
    this.#listeners.set(session, listener);
  }

  forget(session: number): void {
    this.#listeners.delete(session);
  }

  stop(): void {
    this.#worker.terminate();
    this.#end(new EngineError(...BROKEN));
  }
}

/** The runs of a session that one Worker trains. */
class Share {
  constructor(
    readonly worker: EngineWorker,
    readonly session: number,
    readonly runs: RunKey[],
  ) {}

  listen(listener: Listener): void {
    this.worker.listen(this.session, listener);
  }

  go(going: boolean, limit: number | null): void {
    this.worker.post({ kind: "go", session: this.session, going, limit });
  }

  close(): void {
    this.worker.forget(this.session);
    this.worker.post({ kind: "close", session: this.session });
  }
}

/** A session over several Workers. Its runs are those of the Workers, one after the other. */
class WasmSession implements Session {
  readonly runs: RunKey[] = [];
  #onFrame: (frame: Frame) => void = () => {};
  #onError: (error: EngineError) => void = () => {};
  #going = false;
  #limit: number | null = null;
  readonly #ended: boolean[];

  constructor(readonly shares: Share[]) {
    this.#ended = shares.map(({ runs }) => runs.length === 0);
    shares.forEach((share, i) => {
      const offset = this.runs.length;
      this.runs.push(...share.runs);
      share.listen({
        onFrame: (frame) => {
          for (const block of frame.blocks) block.run += offset;
          for (const run of frame.runs) run.run += offset;
          this.#ended[i] = frame.ended;
          this.#onFrame({ ...frame, ended: this.#ended.every(Boolean) });
        },
        onError: (error) => this.#onError(error),
      });
    });
  }

  onFrame(callback: (frame: Frame) => void): void {
    this.#onFrame = callback;
  }

  onError(callback: (error: EngineError) => void): void {
    this.#onError = callback;
  }

  #tell(): void {
    for (const share of this.shares) share.go(this.#going, this.#limit);
  }

  pause(): void {
    this.#going = false;
    this.#tell();
  }

  resume(): void {
    this.#going = true;
    this.#tell();
  }

  limit(step: number | null): void {
    if (step === this.#limit) return;
    this.#limit = step;
    this.#tell();
  }

  close(): void {
    for (const share of this.shares) share.close();
  }
}

export class WasmEngine implements Engine {
  readonly place = "browser";
  readonly #script: string;
  readonly #wasm: Promise<WebAssembly.Module>;
  #asker: EngineWorker;
  #trainers: EngineWorker[] = [];

  constructor(
    script: string,
    wasm: Promise<WebAssembly.Module>,
    readonly workers = WasmEngine.count(),
  ) {
    this.#script = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#wasm = wasm;
    this.#asker = this.#start();
    this.#trainers = Array.from({ length: workers }, () => this.#start());
  }

  /** One for each core but the one that draws. */
  static count(): number {
    return Math.min(8, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
  }

  #start(): EngineWorker {
    return new EngineWorker(this.#script, this.#wasm);
  }

  async ask<T>(request: { ask: string; [key: string]: unknown }): Promise<T> {
    if (this.#asker.broken) {
      this.#asker.stop();
      this.#asker = this.#start();
    }
    return this.#asker.ask<T>(request);
  }

  async open(text: string, runs?: RunKey[]): Promise<Session> {
    // Workers that broke are replaced, so that the next study trains.
    this.#trainers = this.#trainers.map((worker) => (worker.broken ? (worker.stop(), this.#start()) : worker));
    const trainers = runs ? this.#trainers.slice(0, Math.max(1, runs.length)) : this.#trainers;
    const of = trainers.length;
    const shares = await Promise.all(
      trainers.map((worker, index) => {
        const which = runs ? { runs: runs.filter((_, i) => i % of === index) } : { share: { index, of } };
        return worker.open({ text, ...which });
      }),
    );
    return new WasmSession(shares);
  }
}
