// What detectors found, as things that happen at a step: spans (a plateau), moments (an emergence, a spike, a swap).
import type { Phenomenon } from "../engine/engine.ts";
import { toNumber } from "../engine/engine.ts";
import type { RunRecord } from "../state/recordings.ts";

export type Mark = "circle" | "triangle" | "diamond" | "bar";

export interface EventKind {
  phenomenon: string;
  detector: string;
  mark: Mark;
  /** Quantities that hold its step, or its first and last one. */
  from: string;
  to: string | null;
}

const MOMENTS = ["step", "largest_step", "test_step"];
const SPANS: [string, string][] = [
  ["start", "end"],
  ["begin", "end"],
];

export function eventKinds(phenomena: Phenomenon[]): EventKind[] {
  return phenomena.flatMap(({ name, detector, quantities }): EventKind[] => {
    // A quantity is called by its phenomenon, "plateau.start", or on its own.
    const has = (short: string): string | undefined =>
      quantities.map((one) => one.name).find((one) => one === short || one === `${name}.${short}`);
    const full = (found: string): string => (found.startsWith(`${name}.`) ? found : `${name}.${found}`);
    for (const [start, end] of SPANS) {
      const from = has(start);
      const to = has(end);
      if (detector !== "collapse" && from && to) return [{ phenomenon: name, detector, mark: "bar", from: full(from), to: full(to) }];
    }
    const moment = MOMENTS.map(has).find(Boolean);
    if (!moment || detector === "peak") return [];
    const mark = detector === "spikes" ? "triangle" : detector === "swaps" ? "diamond" : "circle";
    return [{ phenomenon: name, detector, mark, from: full(moment), to: null }];
  });
}

export interface Happening {
  from: number;
  to: number;
  /** The run had not come to its end (of a span), or to the event at all. */
  open: boolean;
}

/** When it happened in a run; null where it did not, or has not yet. */
export function happening(run: RunRecord, kind: EventKind): Happening | null {
  const from = run.findings[kind.from];
  const start = toNumber(from?.value);
  if (!from || !Number.isFinite(start) || from.censored) return null;
  if (!kind.to) return { from: start, to: start, open: false };
  const to = run.findings[kind.to];
  const end = toNumber(to?.value);
  const open = !to || to.censored || !Number.isFinite(end);
  return { from: start, to: open ? run.step : end, open };
}

export interface Tally {
  happened: number;
  /** Of spans: still going on. Of moments: not seen by the step that the run has come to. */
  open: number;
  runs: number;
}

export function tally(runs: RunRecord[], kind: EventKind): Tally {
  let happened = 0;
  let open = 0;
  for (const run of runs) {
    const event = happening(run, kind);
    if (event) happened++;
    if (event?.open || (!event && run.findings[kind.from]?.censored)) open++;
  }
  return { happened, open, runs: runs.length };
}
