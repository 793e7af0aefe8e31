// The phase diagram: which cell to train next is the lab's rule (`next_cells`), the painter only does what it says, a few seeds at a
// time, until every cell is decided or has had its share.
import { computed, effect, signal, untracked } from "@preact/signals";
import { toNumber, type NextCellsAnswer, type RunKey, type Session, type StudyAnswer } from "../engine/engine.ts";
import { engine, fail, readStudy, showRuns, suspend } from "./lab.ts";
import { Recordings } from "./recordings.ts";
import { parseAxis, planeOf, planeText, state, type Plane } from "./state.ts";

export interface PaintedCell {
  x: number;
  y: number;
  yes: number;
  runs: number;
  decided: "above" | "below" | null;
  busy: boolean;
}

export interface Painting {
  plane: Plane;
  xKey: string;
  yKey: string;
  xs: string[];
  ys: string[];
  cells: PaintedCell[];
  asked: string; // the study as the page's state has it
  text: string; // and as it is trained
  answer: StudyAnswer;
  recordings: Recordings;
}

export const painting = signal<Painting | null>(null);
/** Counts changes to what is painted. */
export const painted = signal(0);
export const isPainting = signal(false);
/** The cell whose runs the views show. */
export const shownCell = signal<number | null>(null);
export const LEVEL = 0.5;
const MOST_RUNS = 48; // of a cell
const FIRST = 6; // seeds of a cell before others get more
const MORE = 6;

let session: Session | null = null;
let turn = 0;

export const undecided = computed(() => (painted.value, painting.value?.cells.filter(({ decided }) => !decided).length ?? 0));

/** Whether the painting is still of what the page asks for. */
export function isPlaneStale(): boolean {
  return painting.value?.asked !== planeText(state.value);
}

async function prepare(): Promise<Painting> {
  const lab = engine.value;
  const text = planeText(state.value);
  const plane = planeOf(state.value);
  const x = parseAxis(plane.x);
  const y = parseAxis(plane.y);
  if (!lab || !text || !x || !y) throw new Error("The plane needs two different settings, each with a list of values.");
  const { text: read, answer } = await readStudy(lab, text);
  // The last axis of a grid advances fastest.
  const cells = y.values.flatMap((_, row) =>
    x.values.map((_, column): PaintedCell => ({ x: column, y: row, yes: 0, runs: 0, decided: null, busy: false })),
  );
  const recorded = new Recordings(answer.cells.map(({ series }) => series));
  return { plane, xKey: x.key, yKey: y.key, xs: x.values, ys: y.values, cells, asked: text, text: read, answer, recordings: recorded };
}

/** The runs that tell most: first a few seeds everywhere, then more where the contour may pass. */
async function nextRuns(now: Painting): Promise<RunKey[]> {
  const lab = engine.value;
  if (!lab) return [];
  const first = now.answer.first_seed;
  const fresh = now.cells.map((cell, index) => ({ cell, index })).filter(({ cell }) => cell.runs < FIRST);
  const seeds = (index: number, from: number, count: number): RunKey[] =>
    Array.from({ length: count }, (_, i) => ({ cell: index, seed: first + from + i }));
  const asked = now.cells.map(({ x, y, yes, runs }) => ({ x, y, yes, runs }));
  const next = await lab.ask<NextCellsAnswer>({ ask: "next_cells", level: LEVEL, count: asked.length, cells: asked });
  next.decided.forEach((decided, i) => {
    const cell = now.cells[i];
    if (cell) cell.decided = cell.runs >= FIRST ? decided : null;
  });
  if (fresh.length) {
    const order = next.cells.filter((index) => (now.cells[index]?.runs ?? FIRST) < FIRST);
    const index = order[0] ?? (fresh[0]?.index as number);
    return seeds(index, now.cells[index]?.runs ?? 0, FIRST);
  }
  const index = next.cells.find((one) => now.cells[one] && !now.cells[one].decided && now.cells[one].runs < MOST_RUNS);
  return index === undefined ? [] : seeds(index, now.cells[index]?.runs ?? 0, MORE);
}

/** Trains runs to their end. */
function train(opened: Session, recorded: Recordings): Promise<void> {
  return new Promise((resolve, reject) => {
    opened.onFrame((frame) => {
      recorded.take(frame, opened.runs);
      painted.value++;
      if (frame.ended) resolve();
    });
    opened.onError(reject);
    opened.limit(null);
    opened.resume();
  });
}

function count(now: Painting, index: number): void {
  const cell = now.cells[index];
  if (!cell) return;
  const found = now.recordings.of(index).filter((run) => run.finished);
  cell.runs = found.length;
  cell.yes = found.filter((run) => toNumber(run.findings[now.plane.quantity]?.value) > 0.5).length;
  cell.busy = false;
}

export async function paint(): Promise<void> {
  const mine = ++turn;
  shownCell.value = null;
  isPainting.value = true;
  suspend();
  try {
    if (!painting.value || isPlaneStale()) {
      const prepared = await prepare();
      if (mine !== turn) return;
      painting.value = prepared;
    }
    const now = painting.value;
    for (;;) {
      const runs = await nextRuns(now);
      painted.value++;
      if (mine !== turn || !runs.length) break;
      const index = runs[0]?.cell as number;
      (now.cells[index] as PaintedCell).busy = true;
      painted.value++;
      const opened = await engine.value?.open(now.text, runs);
      if (!opened) break;
      if (mine !== turn) {
        opened.close();
        break;
      }
      // Of runs that were stopped on their way nothing is kept: they are trained again from their start.
      for (const key of runs) now.recordings.renew(key);
      session = opened;
      await train(opened, now.recordings);
      opened.close();
      count(now, index);
      painted.value++;
      if (mine !== turn) break;
    }
  } catch (error) {
    fail(error);
  } finally {
    if (mine === turn) {
      isPainting.value = false;
      session = null;
    }
  }
}

export function stopPainting(): void {
  if (!isPainting.value) return;
  turn++;
  session?.close();
  session = null;
  isPainting.value = false;
  for (const cell of painting.value?.cells ?? []) cell.busy = false;
  painted.value++;
}

/** Painting ends when the page turns to something else, by whichever way: a tab, a scene, the back button. */
effect(() => {
  if (state.value.tab !== "plane") untracked(stopPainting);
});

/** Shows the runs of one cell in the views of the page. */
export function showCell(index: number): void {
  const now = painting.value;
  const cell = now?.answer.cells[index];
  if (!now || !cell) return;
  const shown = new Recordings([cell.series]);
  for (const run of now.recordings.of(index)) {
    const copy = shown.run({ cell: 0, seed: run.key.seed });
    Object.assign(copy, { step: run.step, finished: run.finished, diverged: run.diverged, findings: run.findings, finals: run.finals });
    for (const [address, track] of run.tracks) copy.tracks.set(address, track);
  }
  shownCell.value = index;
  shown.ended = true;
  shown.head = cell.steps;
  showRuns({ ...now.answer, cells: [cell], claims: [] }, shown);
}
