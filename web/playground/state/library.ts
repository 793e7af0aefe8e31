// What only a server has: its studies, the runs in its store, and training more of them.
import { signal } from "@preact/signals";
import { EngineError, toNumber, type LabNumber, type StudyAnswer, type Value } from "../engine/engine.ts";
import type { ServerEngine } from "../engine/server_engine.ts";
import { fail, runningText, showRuns, suspend } from "./lab.ts";
import { Recordings, Track } from "./recordings.ts";
import { initialState, notice, state } from "./state.ts";

export interface Outline {
  study: string;
  title: string;
  summary: string;
}

export interface Broken {
  study: string;
  message: string;
}

export interface Training {
  study: string;
  state: "running" | "stopping" | "stopped" | "done" | "failed";
  progress: { total: number; cached: number; done: number; fraction: number };
  error: { message: string; remedy: string } | null;
}

export interface Results {
  study: string;
  planned: number;
  runs: number;
  answers: { publication: string; tally: string; answers: string[] }[];
}

interface StoredRun {
  profile: string;
  cell: Record<string, Value>;
  seed: number;
  run: string;
  stored: boolean;
}

interface RunSeries {
  address: string;
  shape: number[];
  steps: number[];
  values?: LabNumber[];
}

export const studies = signal<Outline[]>([]);
export const broken = signal<Broken[]>([]);
export const chosen = signal("");
export const training = signal<Training | null>(null);
export const results = signal<Results | null>(null);

const WATCHED_SEEDS = 4; // of each cell of a stored study, which may have many cells
const MOST_SHOWN = 64; // runs of the store that are shown at once
const BETWEEN_RESULTS = 1000; // milliseconds, while a study trains

export const isGoing = (): boolean => training.value?.state === "running" || training.value?.state === "stopping";

export async function readStudies(server: ServerEngine): Promise<void> {
  const found = await server.get<{ studies: Outline[]; broken: Broken[] }>("studies");
  studies.value = found.studies;
  broken.value = found.broken;
}

export async function readResults(server: ServerEngine, study: string): Promise<void> {
  const found = await server.post<Results>("results", { study });
  if (study === chosen.value) results.value = found;
}

export async function choose(server: ServerEngine, study: string): Promise<void> {
  chosen.value = study;
  results.value = null;
  if (study) await readResults(server, study);
}

const textOf = async (server: ServerEngine, study: string): Promise<string> =>
  (await server.get<{ text: string }>(`studies/${encodeURIComponent(study)}`)).text;

/** Trains the study before the visitor's eyes, a few seeds of each cell, and keeps nothing. */
export async function watch(server: ServerEngine, study: string): Promise<void> {
  state.value = { ...initialState(), study: await textOf(server, study), seeds: WATCHED_SEEDS };
}

export async function train(server: ServerEngine, study: string): Promise<void> {
  await server.post("train", { study });
  followTraining(server);
}

export const stop = (server: ServerEngine): Promise<unknown> => server.post("train/stop", {});

/** Follows the training in the store until it ends; what its runs say is read again as they come. */
export function followTraining(server: ServerEngine): () => void {
  const events = new EventSource(`${server.base}/api/train/events`);
  let [done, read] = [-1, -Infinity];
  events.onmessage = ({ data }: MessageEvent<string>) => {
    const now = JSON.parse(data) as Training | null;
    training.value = now;
    const over = now === null || !isGoing();
    if (over) events.close();
    if (!now || now.study !== chosen.value) return;
    const since = performance.now() - read;
    if (!over && (now.progress.done === done || since < BETWEEN_RESULTS)) return;
    done = now.progress.done;
    read = performance.now();
    readResults(server, now.study).catch(fail);
  };
  return () => events.close();
}

const sameCell = (a: Record<string, Value>, b: Record<string, Value>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => JSON.stringify(b[key]) === JSON.stringify(value));

/** Shows runs of the store. One that is deleted meanwhile is left out, and said. */
export async function showStored(server: ServerEngine, study: string): Promise<void> {
  const text = await textOf(server, study);
  const answer = await server.ask<StudyAnswer>({ ask: "study", text, name: study });
  const { runs } = await server.get<{ runs: StoredRun[] }>(`runs?study=${encodeURIComponent(study)}`);
  const stored = runs.filter((run) => run.stored && run.profile === answer.profile);
  const recorded = new Recordings(answer.cells.map(({ series }) => series));
  const pictures = [...new Set(answer.cells.flatMap(({ series }) => series.filter(({ shape }) => shape.length).map(({ address }) => address)))];
  let gone = 0;
  for (const { cell, seed, run } of stored.slice(0, MOST_SHOWN)) {
    const index = answer.cells.findIndex(({ overrides }) => sameCell(overrides, cell));
    if (index < 0) continue; // of an earlier form of the study
    const found = await readRun(server, run, pictures);
    if (!found) gone++;
    else takeRun(recorded, { cell: index, seed }, found);
  }
  if (gone) notice(`${gone} of the runs ${gone === 1 ? "was" : "were"} deleted from the store meanwhile.`);
  if (!recorded.runs.length) throw new EngineError("The store has no runs of this study as it is now.", "Train them into the store first.");
  if (stored.length > MOST_SHOWN) notice(`These are ${MOST_SHOWN} of the ${stored.length} runs in the store.`);
  recorded.ended = true;
  recorded.head = Math.max(...recorded.runs.map(({ step }) => step));
  suspend();
  state.value = { ...initialState(), study: text };
  runningText.value = text;
  showRuns(answer, recorded);
}

interface RunAnswer {
  steps_done: number;
  diverged_at: number | null;
  series: RunSeries[];
}

async function readRun(server: ServerEngine, run: string, pictures: string[]): Promise<RunAnswer | null> {
  try {
    return await server.get<RunAnswer>(`runs/${run}${pictures.length ? `?observable=${pictures.map(encodeURIComponent).join(",")}` : ""}`);
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null;
    throw error;
  }
}

function takeRun(recorded: Recordings, key: { cell: number; seed: number }, found: RunAnswer): void {
  const record = recorded.run(key);
  record.step = found.steps_done;
  record.finished = true;
  record.diverged = found.diverged_at !== null;
  for (const { address, shape, steps, values } of found.series) {
    if (!values) continue;
    const track = new Track(shape.reduce((all, one) => all * one, 1));
    track.append(Float64Array.from(steps), Float32Array.from(values, toNumber));
    record.tracks.set(address, track);
  }
}
