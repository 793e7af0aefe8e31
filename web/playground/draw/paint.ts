// When views are drawn: together, at most once a frame of the screen, and less often where drawing takes long, so that training and
// typing come first.
import { effect } from "@preact/signals";
import { frames, judgement, recordings, study, theory } from "../state/lab.ts";
import { state } from "../state/state.ts";
import { painted as planePainted } from "../state/painter.ts";
import { hovered, zoom } from "../state/attention.ts";
import { palette } from "./palette.ts";

const painters = new Set<() => void>();
const INTERVAL = 30; // milliseconds between frames, on average: about every second one of a screen, so that training keeps its speed
let asked = false;
let due = 0;
let trained = false;

/** Frames drawn and how long that took, for those who measure. */
export const painted = { frames: 0, milliseconds: 0 };

function paintAll(now: number): void {
  if (now < due) {
    requestAnimationFrame(paintAll);
    return;
  }
  asked = false;
  const start = performance.now();
  for (const paint of painters) paint();
  const took = performance.now() - start;
  painted.frames++;
  painted.milliseconds += took;
  if (!trained && recordings.value.head > 0) {
    trained = true;
    performance.mark("training on screen"); // for those who measure
  }
  due = Math.max(due, now - INTERVAL) + INTERVAL; // a frame that came late does not delay the next
}

export function askForPaint(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(paintAll);
}

export function addPainter(paint: () => void): () => void {
  painters.add(paint);
  askForPaint();
  return () => void painters.delete(paint);
}

/** Whatever any view shows. */
export function startPainting(): void {
  effect(() => {
    void [frames.value, recordings.value, study.value, theory.value, judgement.value, state.value];
    void [hovered.value, zoom.value, palette.value, planePainted.value];
    askForPaint();
  });
}
