// What was recorded of every run so far, kept by the page: scrubbing back and replay need nothing else.
import type { Finding, Frame, LabNumber, RunKey, RunReport, Series } from "../engine/engine.ts";

/** A series that grows: steps, and `width` numbers at each. */
export class Track {
  length = 0;
  #steps = new Float64Array(64);
  #values: Float32Array;

  constructor(readonly width: number) {
    this.#values = new Float32Array(64 * width);
  }

  append(steps: Float64Array, values: Float32Array): void {
    const length = this.length + steps.length;
    if (length > this.#steps.length) {
      const room = Math.max(length, this.#steps.length * 2);
      const grownSteps = new Float64Array(room);
      const grownValues = new Float32Array(room * this.width);
      grownSteps.set(this.#steps);
      grownValues.set(this.#values);
      this.#steps = grownSteps;
      this.#values = grownValues;
    }
    this.#steps.set(steps, this.length);
    this.#values.set(values, this.length * this.width);
    this.length = length;
  }

  step(index: number): number {
    return this.#steps[index] ?? NaN;
  }

  value(index: number, part = 0): number {
    return this.#values[index * this.width + part] ?? NaN;
  }

  /** The numbers of one measurement, in place. */
  point(index: number): Float32Array {
    return this.#values.subarray(index * this.width, (index + 1) * this.width);
  }

  /** The last measurement at or before a step; -1 where there is none. */
  at(step: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.step(middle) <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

export class RunRecord {
  step = 0;
  finished = false;
  diverged = false;
  findings: Record<string, Finding> = {};
  finals: Record<string, LabNumber> = {};
  readonly tracks = new Map<string, Track>();

  constructor(readonly key: RunKey) {}

  report(): RunReport {
    const { step, finished, diverged, findings, finals } = this;
    return { ...this.key, steps_done: step, finished, diverged, findings, finals };
  }
}

let made = 0;

export class Recordings {
  readonly id = made++; // tells the pictures of one from those of another
  readonly runs: RunRecord[] = [];
  readonly #byKey = new Map<string, RunRecord>();
  /** Step that all runs have reached, or ended before. */
  head = 0;
  ended = false;

  /** `series` of each cell, as the lab lists them. */
  constructor(readonly series: Series[][]) {}

  run(key: RunKey): RunRecord {
    const name = `${key.cell}/${key.seed}`;
    let record = this.#byKey.get(name);
    if (!record) {
      record = new RunRecord(key);
      this.#byKey.set(name, record);
      this.runs.push(record);
    }
    return record;
  }

  /** Forgets what was recorded of a run, which begins anew. */
  renew(key: RunKey): void {
    const fresh = new RunRecord(key);
    const place = this.runs.indexOf(this.run(key));
    this.runs[place] = fresh;
    this.#byKey.set(`${key.cell}/${key.seed}`, fresh);
  }

  find(cell: number, seed: number): RunRecord | undefined {
    return this.#byKey.get(`${cell}/${seed}`);
  }

  of(cell: number): RunRecord[] {
    return this.runs.filter((run) => run.key.cell === cell);
  }

  /** Takes a frame whose runs are counted as in `keys`. */
  take(frame: Frame, keys: RunKey[]): void {
    for (const block of frame.blocks) {
      const key = keys[block.run];
      const series = key && this.series[key.cell]?.[block.series];
      if (!key || !series) continue;
      const record = this.run(key);
      let track = record.tracks.get(series.address);
      if (!track) record.tracks.set(series.address, (track = new Track(block.width)));
      if (track.width === block.width) track.append(block.steps, block.values);
    }
    for (const news of frame.runs) {
      const key = keys[news.run];
      if (!key) continue;
      const record = this.run(key);
      record.step = news.step;
      record.finished = news.finished;
      record.diverged = news.diverged;
      if (news.findings) record.findings = news.findings;
      if (news.finals) record.finals = news.finals;
    }
    const unfinished = this.runs.filter((run) => !run.finished);
    const last = this.runs.reduce((most, run) => Math.max(most, run.step), 0);
    this.head = unfinished.length ? unfinished.reduce((least, run) => Math.min(least, run.step), Infinity) : last;
  }
}

/** The value below which a share of the sorted numbers lies; numbers without a value are not among them. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return NaN;
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? NaN;
  const high = sorted[Math.ceil(place)] ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}
