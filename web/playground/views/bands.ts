// Median and band over the seeds of a cell at every measured step, extended as measurements come.
import { quantile, type Recordings, type RunRecord } from "../state/recordings.ts";

export class Band {
  readonly steps: number[] = [];
  readonly low: number[] = [];
  readonly median: number[] = [];
  readonly high: number[] = [];

  constructor(
    readonly runs: RunRecord[],
    readonly address: string,
  ) {}

  extend(): void {
    const tracks = this.runs.map((run) => ({ run, track: run.tracks.get(this.address) }));
    // A step counts once every run has come to it or ended before.
    let ready = Infinity;
    let longest = 0;
    for (const { run, track } of tracks) {
      const length = track?.length ?? 0;
      longest = Math.max(longest, length);
      if (!run.finished) ready = Math.min(ready, length);
    }
    ready = Math.min(ready, longest);
    for (let i = this.steps.length; i < ready; i++) {
      const values: number[] = [];
      let step = NaN;
      for (const { track } of tracks) {
        if (!track || track.length <= i) continue;
        step = track.step(i);
        const value = track.value(i);
        if (Number.isFinite(value)) values.push(value);
      }
      values.sort((a, b) => a - b);
      this.steps.push(step);
      this.low.push(quantile(values, 0.1));
      this.median.push(quantile(values, 0.5));
      this.high.push(quantile(values, 0.9));
    }
  }

  /** The median at a step, of the last measurement before it. */
  at(step: number): number {
    let i = this.steps.length - 1;
    while (i > 0 && (this.steps[i] as number) > step) i--;
    return this.median[i] ?? NaN;
  }
}

let owner: Recordings | null = null;
const bands = new Map<string, Band>();

export function bandOf(recorded: Recordings, cell: number, address: string): Band {
  if (owner !== recorded) bands.clear();
  owner = recorded;
  const name = `${cell} ${address}`;
  let band = bands.get(name);
  if (!band || band.runs.length !== recorded.of(cell).length) bands.set(name, (band = new Band(recorded.of(cell), address)));
  band.extend();
  return band;
}
