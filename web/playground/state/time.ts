// Time: how fast training goes, and which moment of it is looked at. Nothing here moves unless somebody asks.
import { computed, signal } from "@preact/signals";
import { frames, limit, onOpened, pause, recordings, resume, training } from "./lab.ts";
import { state } from "./state.ts";

/** Seconds that a training takes at least, so that it can be watched; 0: as fast as it goes. */
export const PACES = [
  { name: "slow", seconds: 30 },
  { name: "watch", seconds: 10 },
  { name: "fast", seconds: 0 },
] as const;
export type Pace = (typeof PACES)[number]["name"];

export const pace = signal<Pace>("watch");
export const horizon = signal(1);
export const replaying = signal(false);

let allowed = 0; // steps that training was let so far
let ticked = 0;
let timer = 0;

const seconds = (): number => PACES.find(({ name }) => name === pace.value)?.seconds ?? 0;

function restartClock(steps: number): void {
  horizon.value = Math.max(1, steps);
  replaying.value = false;
  allowed = 0;
  ticked = performance.now();
  follow();
}

onOpened(restartClock);

/** Raises the step that training may reach, as time goes by. */
function follow(): void {
  clearInterval(timer);
  if (seconds() === 0) return limit(null);
  ticked = performance.now();
  const tick = (): void => {
    const now = performance.now();
    // A tab in the background is called seldom: it catches up by no more than a second at a time.
    if (training.value === "going") allowed += (Math.min(1000, now - ticked) / 1000 / seconds()) * horizon.value;
    // Where the machine is slower than the pace, the limit stays near, so that a pause does not come late.
    allowed = Math.min(allowed, recordings.value.head + 0.1 * horizon.value + 1);
    ticked = now;
    limit(Math.max(1, Math.floor(allowed)));
    if (training.value === "ended") clearInterval(timer);
  };
  timer = window.setInterval(tick, 33);
  tick();
}

export function setPace(name: Pace): void {
  pace.value = name;
  allowed = recordings.value.head;
  follow();
}

/** The newest step that every run has come to. */
export const head = computed(() => (frames.value, recordings.value.head));

/** The step that every view shows. */
export const moment = computed(() => Math.min(state.value.at ?? Infinity, head.value));
export const isLive = computed(() => state.value.at === null || state.value.at >= head.value);

export function lookAt(step: number | null): void {
  state.value = { ...state.value, at: step === null ? null : Math.max(0, Math.round(step)) };
}

/** The steps at which most is measured: those of the series with the most points. */
function measuredSteps(): number[] {
  const run = recordings.value.runs[0];
  let best: number[] = [];
  for (const track of run?.tracks.values() ?? [])
    if (track.length > best.length) best = Array.from({ length: track.length }, (_, i) => track.step(i));
  return best;
}

/** One measurement back or forth; beyond the newest one a paused training goes on by one. */
export function stepBy(direction: 1 | -1): void {
  replaying.value = false;
  const steps = measuredSteps();
  const now = moment.value;
  if (direction < 0) return lookAt(steps.filter((step) => step < now).at(-1) ?? 0);
  const next = steps.find((step) => step > now && step <= head.value);
  if (next !== undefined) return lookAt(next);
  if (training.value !== "paused") return lookAt(null);
  const interval = steps.length > 1 ? (steps.at(-1) ?? 0) - (steps.at(-2) ?? 0) : 10;
  clearInterval(timer);
  allowed = head.value + Math.max(1, interval);
  limit(allowed);
  lookAt(null);
  resume();
  const wait = frames.subscribe(() => {
    if (recordings.value.head < allowed && !recordings.value.ended) return;
    queueMicrotask(() => wait());
    pause();
  });
}

export function toggle(): void {
  if (replaying.value) {
    replaying.value = false;
    return;
  }
  if (training.value === "going") return pause();
  if (training.value === "paused") {
    resume();
    lookAt(null);
    return follow();
  }
  replay();
}

const REPLAY_SECONDS = 8;

/** Goes through what was recorded once more, from the step that is looked at or from the start. */
export function replay(): void {
  let from = state.value.at !== null && state.value.at < head.value ? state.value.at : 0;
  replaying.value = true;
  let last = performance.now();
  const tick = (now: number): void => {
    if (!replaying.value) return;
    from += (Math.min(100, Math.max(0, now - last)) / 1000 / REPLAY_SECONDS) * horizon.value;
    last = now;
    if (from >= head.value) {
      replaying.value = false;
      return lookAt(null);
    }
    lookAt(from);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}
