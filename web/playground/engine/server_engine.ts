// The engine of `atto serve`: the same questions over HTTP, frames as server-sent events.
import { EngineError, type Engine, type Frame, type RunKey, type Session } from "./engine.ts";
import { decodeFrame } from "./frame.ts";

/** The answer, or the error that it tells of. */
function readAnswer<T>(text: string): T {
  const answer = JSON.parse(text) as T & { error?: { message: string; remedy?: string; line?: number | null } };
  if (answer.error) throw new EngineError(answer.error.message, answer.error.remedy ?? "", answer.error.line ?? null);
  return answer;
}

const bytesOf = (code: string): Uint8Array => Uint8Array.from(atob(code), (character) => character.charCodeAt(0));

export class ServerEngine implements Engine {
  readonly place = "server";
  readonly workers = 1;

  /** `base` is the address of the server's page, `token` the secret of its link. */
  constructor(
    readonly base: string,
    readonly token: string,
  ) {}

  async post<T>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(`${this.base}/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Atto-Token": this.token },
      body: JSON.stringify(body),
    }).catch(() => {
      throw new EngineError("The server does not answer.", "Is atto serve still running?");
    });
    return readAnswer<T>(await answer.text());
  }

  ask<T>(request: { ask: string; [key: string]: unknown }): Promise<T> {
    return this.post<T>("ask", request);
  }

  async open(text: string, runs?: RunKey[]): Promise<Session> {
    const opened = await this.post<{ session: number; runs: RunKey[] }>("open", runs ? { text, runs } : { text });
    return new ServerSession(this, opened.session, opened.runs);
  }
}

class ServerSession implements Session {
  readonly #events: EventSource;
  #callback: (frame: Frame) => void = () => {};
  #failed: (error: EngineError) => void = () => {};
  #ended = false;

  constructor(
    readonly engine: ServerEngine,
    readonly id: number,
    readonly runs: RunKey[],
  ) {
    const query = new URLSearchParams({ session: String(id), token: engine.token });
    this.#events = new EventSource(`${engine.base}/api/stream?${query.toString()}`);
    this.#events.onmessage = ({ data }: MessageEvent<string>) => {
      const frame = decodeFrame(bytesOf(data));
      this.#ended = frame.ended;
      if (frame.ended) this.#events.close();
      this.#callback(frame);
    };
    this.#events.onerror = () => {
      if (!this.#ended && this.#events.readyState === EventSource.CLOSED)
        this.#failed(new EngineError("The server closed the stream of results.", "Is atto serve still running?"));
    };
  }

  onFrame(callback: (frame: Frame) => void): void {
    this.#callback = callback;
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

  limit(step: number | null): void {
    this.#tell("limit", { step });
  }

  close(): void {
    this.#callback = () => {};
    this.#events.close();
    this.#tell("close");
  }
}
