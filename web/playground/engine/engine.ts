// What the page asks of an engine, whichever one it is: the C++ in WebAssembly or a server. The answers are the lab's own.

/** Numbers as the lab writes them in JSON: null for "none", words for what JSON has no numbers for. */
export type LabNumber = number | "inf" | "-inf" | null;
export const toNumber = (value: LabNumber | undefined): number =>
  value === "inf" ? Infinity : value === "-inf" ? -Infinity : (value ?? NaN);

export type Value = string | number | boolean | Value[] | { [key: string]: Value };

export interface Key {
  key: string;
  type: "bool" | "int" | "float" | "str" | "list" | "dict";
  allowed: string;
  choices: string[];
  default: Value;
  help: string;
  low: number | null;
  high: number | null;
}

export interface Schema {
  keys: Key[];
  statistics: string[];
  compares: string[];
}

export interface Series {
  address: string;
  shape: number[];
  points: number;
}

export interface Cell {
  overrides: Record<string, Value>;
  text: string;
  config: Record<string, Value>;
  applies: string[];
  parameters: number;
  bytes: number;
  steps: number;
  cost: LabNumber;
  references: { name: string; loss: LabNumber; perplexity: LabNumber }[];
  series: Series[];
}

export interface Phenomenon {
  name: string;
  detector: string;
  quantities: { name: string; help: string; yes_or_no: boolean }[];
}

export interface ClaimText {
  id: string;
  statement: string;
  quantity: string;
  statistic: string;
  where: Record<string, Value>;
  given: string;
  region: [LabNumber, LabNumber];
}

export interface StudyAnswer {
  title: string;
  summary: string;
  source: string;
  profile: string;
  seeds: number;
  first_seed: number;
  cells: Cell[];
  phenomena: Phenomenon[];
  claims: ClaimText[];
}

export interface Finding {
  value: LabNumber;
  censored: boolean;
}

export interface RunKey {
  cell: number;
  seed: number;
}

export interface RunReport extends RunKey {
  steps_done: number;
  finished: boolean;
  diverged: boolean;
  findings: Record<string, Finding>;
  finals: Record<string, LabNumber>;
}

export interface Basin {
  count: number;
  low: number;
  median: number;
  high: number;
}

export interface QuantitySummary {
  name: string;
  fraction: LabNumber;
  median: LabNumber;
  low: LabNumber;
  high: LabNumber;
  censored: number;
  missing: number;
}

export interface Verdict {
  claim: string;
  statement: string;
  quantity: string;
  statistic: string;
  verdict: "supported" | "refuted" | "inconclusive";
  estimate: LabNumber;
  low: LabNumber;
  high: LabNumber;
  anytime_low: LabNumber;
  anytime_high: LabNumber;
  rests_on: string;
  reason_text: string;
  region: [LabNumber, LabNumber];
  seeds: number;
  censored: number;
  missing: number;
  diverged: number;
}

export interface JudgeAnswer {
  complete: boolean;
  cells: {
    runs: number;
    diverged: number;
    quantities: QuantitySummary[];
    observables: { address: string; median: LabNumber; q05: LabNumber; q95: LabNumber; basins: Basin[] }[];
  }[];
  verdicts: Verdict[];
  answers: string[];
}

export interface PredictAnswer {
  growth_rate: number;
  closed_form: LabNumber;
  flow: LabNumber;
  curve: { times: number[]; train: LabNumber[]; test: LabNumber[] } | null;
}

export interface NextCellsAnswer {
  cells: number[];
  decided: ("above" | "below" | null)[];
}

export interface About {
  version: string;
  engine_revision: number;
  target: string;
  native_bits: boolean;
}

/** What an engine says when it cannot: the lab's message, its remedy, and the line of the study where there is one. */
export class EngineError extends Error {
  constructor(
    message: string,
    readonly remedy = "",
    readonly line: number | null = null,
    /** Of a server's answer. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

/** New measurements of one series of one run. */
export interface Block {
  run: number;
  series: number;
  width: number;
  steps: Float64Array;
  values: Float32Array;
}

export interface RunNews {
  run: number;
  step: number;
  finished: boolean;
  diverged: boolean;
  findings?: Record<string, Finding>;
  finals?: Record<string, LabNumber>;
}

export interface Frame {
  blocks: Block[];
  runs: RunNews[];
  ended: boolean;
  /** Milliseconds of training and steps of all runs since the last frame. */
  train_ms: number;
  steps: number;
}

/** Runs that are trained. Frames count runs by their place in `runs`. */
export interface Session {
  runs: RunKey[];
  onFrame(callback: (frame: Frame) => void): void;
  onError(callback: (error: EngineError) => void): void;
  pause(): void;
  resume(): void;
  /** No run trains beyond this step; null: to the end. Raising it lets paced training go on. */
  limit(step: number | null): void;
  close(): void;
}

export interface Engine {
  readonly place: "browser" | "server";
  readonly workers: number;
  ask<T>(request: { ask: string; [key: string]: unknown }): Promise<T>;
  open(text: string, runs?: RunKey[]): Promise<Session>;
}
