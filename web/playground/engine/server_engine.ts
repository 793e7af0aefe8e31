// The engine of `atto serve`: the same questions over HTTP, frames as server-sent events.
import { EngineError, type Engine, type Frame, type RunKey, type Session } from "./engine.ts";
import { decodeFrame } from "./frame.ts";

/** The answer, or the error that it tells of. */
function readAnswer<T>(text: string, status: number): T {
  const answer = JSON.parse(text) as T & { error?: { message: string; remedy?: string; line?: number | null } };
  if (answer.error) throw new EngineError(answer.error.message, answer.error.remedy ?? "", answer.error.line ?? null, status);
  return answer;
}

const bytesOf = (code: string): Uint8Array => Uint8Array.from(atob(code), (character) => character.charCodeAt(0));

/** It trains no further until whoever opened it says how far: before that nobody would see it. */
const FIRST_LIMIT = 1; // step

export class ServerEngine implements Engine {
  readonly place = "server";
  readonly workers = 1;

  /** `base` is the address of the server's page, without the last slash. Its cookie says who may ask. */
  constructor(readonly base: string) {}

  async #fetch<T>(path: string, options: RequestInit): Promise<T> {
    const answer = await fetch(`${this.base}/api/${path}`, options).catch(() => {
      throw new EngineError("The server does not answer.", "Is atto serve still running?");
    });
    return readAnswer<T>(await answer.text(), answer.status);
  }

  get<T>(path: string): Promise<T> {
    return this.#fetch<T>(path, { method: "GET" });
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#fetch<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }

  ask<T>(request: { ask: string; [key: string]: unknown }): Promise<T> {
    return this.post<T>("ask", request);
  }

  async open(text: string, runs?: RunKey[]): Promise<Session> {
    const opened = await this.post<{ session: string; runs: RunKey[] }>("open", { text, step: FIRST_LIMIT, ...(runs && { runs }) });
    return new ServerSession(this, opened.session, opened.runs);
  }
}

class ServerSession implements Session {
  #events: EventSource | null = null;
  #failed: (error: EngineError) => void = () => {};
  #ended = false;
  #limit: number | null = FIRST_LIMIT;
  #waiting = false;

  constructor(
    readonly engine: ServerEngine,
    readonly id: string,
    readonly runs: RunKey[],
  ) {}

  /** Listens from here on. The server keeps every frame, so none is lost that came before. */
  onFrame(callback: (frame: Frame) => void): void {
    const events = new EventSource(`${this.engine.base}/api/stream?session=${encodeURIComponent(this.id)}`);
    this.#events = events;
    events.onmessage = ({ data }: MessageEvent<string>) => {
      if (this.#ended) return;
      const frame = decodeFrame(bytesOf(data));
      this.#ended = frame.ended;
      if (frame.ended) events.close();
      callback(frame);
    };
    events.onerror = () => {
      if (!this.#ended && events.readyState === EventSource.CLOSED)
        this.#failed(new EngineError("The server closed the stream of results.", "Is atto serve still running?"));
    };
  }

  onError(callback: (error: EngineError) => void): void {
    this.#failed = callback;
  }

  #tell(what: string, more: object = {}): void {
    this.engine.post(what, { session: this.id, ...more }).catch((error: unknown) => {
      if (error instanceof EngineError) this.#failed(error);
    });
  }

  pause(): void {
    this.#tell("pause");
  }

  resume(): void {
    this.#tell("resume");
  }

  /** Asked many times a second; the server hears the newest a few times. */
  limit(step: number | null): void {
    if (step === this.#limit) return;
    this.#limit = step;
    if (this.#waiting) return;
    this.#waiting = true;
    setTimeout(() => {
      this.#waiting = false;
      if (!this.#ended) this.#tell("limit", this.#limit === null ? {} : { step: this.#limit });
    }, 80);
  }

  close(): void {
    this.#ended = true;
    this.#events?.close();
    this.#tell("close");
  }
}
