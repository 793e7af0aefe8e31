// The engine in the page: one Worker answers questions, the others train, each with an instance and a share of the runs of its own.
import { EngineError, type Engine, type Frame, type RunKey, type Session } from "./engine.ts";
import { decodeFrame } from "./frame.ts";

type Reply =
  | { kind: "ready" }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "frame"; bytes: ArrayBuffer }
  | { kind: "failed"; id: number | null; broken: boolean; message: string; remedy: string; line: number | null };

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

const BROKEN = [
  "The engine stopped in one Worker, most likely for want of memory.",
  "Take fewer seeds or a smaller network; atto on the command line has all of the machine's memory.",
] as const;

class EngineWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly ready: Promise<void>;
  #next = 1;
  broken = false;
  onFrame: (frame: Frame) => void = () => {};
  onError: (error: EngineError) => void = () => {};

  constructor(script: string, wasm: Promise<WebAssembly.Module>) {
    this.#worker = new Worker(script);
    this.ready = new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.kind === "ready") resolve();
        else if (data.kind === "frame") this.onFrame(decodeFrame(new Uint8Array(data.bytes)));
        else if (data.kind === "failed") {
          const error = data.broken ? new EngineError(...BROKEN) : new EngineError(data.message, data.remedy, data.line);
          this.broken ||= data.broken;
          reject(error);
          if (data.id === null) this.onError(error);
          else this.#settle(data.id, (one) => one.reject(error));
        } else this.#settle(data.id, (one) => one.resolve(data.answer));
      };
      this.#worker.onerror = (event) => {
        event.preventDefault();
        this.broken = true;
        const error = new EngineError(...BROKEN);
        reject(error);
        for (const { reject: give } of this.#waiting.values()) give(error);
        this.#waiting.clear();
        this.onError(error);
      };
    });
    this.ready.catch(() => {}); // whoever asks is told
    wasm.then(
      (module) => this.post({ kind: "start", wasm: module }),
      (error: unknown) => this.onError(new EngineError(String(error))),
    );
  }

  #settle(id: number, give: (one: Waiting) => void): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (one) give(one);
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  async request<T>(kind: "ask" | "open", request: unknown): Promise<T> {
    await this.ready;
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.post({ kind, id, request });
    return answer as Promise<T>;
  }

  stop(): void {
    this.#worker.terminate();
  }
}

/** A session over several Workers. Its runs are those of the Workers, one after the other. */
class WasmSession implements Session {
  runs: RunKey[] = [];
  #callback: (frame: Frame) => void = () => {};
  #going = false;
  #limit: number | null = null;
  readonly #ended: boolean[];

  constructor(
    readonly workers: EngineWorker[],
    shares: RunKey[][],
  ) {
    this.#ended = workers.map((_, i) => (shares[i]?.length ?? 0) === 0);
    workers.forEach((worker, i) => {
      const offset = this.runs.length;
      this.runs.push(...(shares[i] ?? []));
      worker.onFrame = (frame) => {
        for (const block of frame.blocks) block.run += offset;
        for (const run of frame.runs) run.run += offset;
        this.#ended[i] = frame.ended;
        this.#callback({ ...frame, ended: this.#ended.every(Boolean) });
      };
    });
  }

  onFrame(callback: (frame: Frame) => void): void {
    this.#callback = callback;
  }

  onError(callback: (error: EngineError) => void): void {
    for (const worker of this.workers) worker.onError = callback;
  }

  #tell(): void {
    for (const worker of this.workers) worker.post({ kind: "go", going: this.#going, limit: this.#limit });
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
    this.#callback = () => {};
    for (const worker of this.workers) {
      worker.onFrame = () => {};
      worker.post({ kind: "go", going: false, limit: null });
      worker.post({ kind: "close" });
    }
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
    if (this.#asker.broken) this.#asker = this.#start();
    return this.#asker.request<T>("ask", request);
  }

  async open(text: string, runs?: RunKey[]): Promise<Session> {
    // Workers that broke are replaced, so that the next study trains.
    this.#trainers = this.#trainers.map((worker) => (worker.broken ? (worker.stop(), this.#start()) : worker));
    const of = this.#trainers.length;
    const opened = await Promise.all(
      this.#trainers.map(async (worker, index) => {
        const share = runs?.filter((_, i) => i % of === index);
        const which = share ? { runs: share } : { share: { index, of } };
        if (share?.length === 0) return [];
        return (await worker.request<{ runs: RunKey[] }>("open", { text, ...which })).runs;
      }),
    );
    return new WasmSession(this.#trainers, opened);
  }
}
