// What runs: the study as the lab reads it, a session that trains it, what was recorded, and what the judge says of it.
import { computed, signal } from "@preact/signals";
import {
  EngineError,
  type About,
  type Cell,
  type Engine,
  type JudgeAnswer,
  type PredictAnswer,
  type Schema,
  type Session,
  type StudyAnswer,
  type Value,
} from "../engine/engine.ts";
import { Judging } from "./judging.ts";
import { Recordings } from "./recordings.ts";
import { leaveOut } from "./repair.ts";
import { about } from "./about.ts";
import { baseText, isUntouched, MOST_SEEDS, notice, state, studyText, trainingKey, type State } from "./state.ts";
import { sceneOf } from "./scenes.ts";
import { settingText } from "./toml.ts";

export const engine = signal<Engine | null>(null);
export const schema = signal<Schema | null>(null);
export const study = signal<StudyAnswer | null>(null);
export const runningText = signal("");
export const recordings = signal<Recordings>(new Recordings([]));
export const judgement = signal<JudgeAnswer | null>(null);
export const theory = signal<(PredictAnswer | null)[]>([]);
/** What the present network does not have, and the study therefore leaves out. */
export const left = signal<string[]>([]);
export const problem = signal<EngineError | null>(null);
/** Counts frames: whoever draws what was recorded depends on it. */
export const frames = signal(0);
export const training = signal<"starting" | "going" | "paused" | "ended">("starting");
/** Milliseconds and steps of training so far, for those who measure. */
export const effort = { milliseconds: 0, steps: 0 };
/** Beats a few times a second while frames come: for words, which nobody reads faster. */
export const pulse = signal(0);

let told = false;
let pulsed = 0;

/** Several Workers send frames at once; whoever draws is told once for each frame of the screen. */
function tellOfFrame(): void {
  if (told) return;
  told = true;
  const tell = (): void => {
    told = false;
    frames.value++;
    const now = performance.now();
    if (now - pulsed < 250 && !recordings.value.ended) return;
    pulsed = now;
    pulse.value++;
  };
  if (document.hidden) setTimeout(tell, 100);
  else requestAnimationFrame(tell);
}

const openListeners: ((steps: number) => void)[] = [];
/** `listener` is called with the length of the longest run before a new session trains. */
export const onOpened = (listener: (steps: number) => void): void => void openListeners.push(listener);

let session: Session | null = null;
let opening = 0; // the newest opening; older ones are dropped when they arrive
let openedKey = "";

/** The settings of the scene as it is, by which the first of two compared cells is named. */
let baseConfig: { text: string; config: Record<string, Value> } = { text: "", config: {} };

export const configOf = (cell: number): Record<string, Value> => study.value?.cells[cell]?.config ?? {};
export const cells = computed<Cell[]>(() => study.value?.cells ?? []);
/** The cells that views with a picture for each show: a study may have dozens. */
export const shownCells = computed<Cell[]>(() => cells.value.slice(0, 4));

/** The study that a state asks for. */
export const textOf = (from: State): string => studyText(from, (key) => settingText(baseConfig.config[key]));

async function readBase(lab: Engine, text: string): Promise<void> {
  if (baseConfig.text === text) return;
  const read = await lab.ask<StudyAnswer>({ ask: "study", text });
  baseConfig = { text, config: read.cells[0]?.config ?? {} };
}

/** Settings of a link that no run has are left out, and said. */
function dropUnknownSettings(known: Schema): void {
  const keys = new Set(known.keys.map(({ key }) => key));
  const foreign = [...Object.keys(state.value.set), ...Object.keys(state.value.vs ?? {})].filter((key) => !keys.has(key));
  if (!foreign.length) return;
  const kept = (settings: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(settings).filter(([key]) => keys.has(key)));
  notice(`No run has these settings, and they were left out: ${[...new Set(foreign)].join(", ")}.`);
  const vs = state.value.vs && kept(state.value.vs);
  state.value = { ...state.value, set: kept(state.value.set), vs: vs && Object.keys(vs).length ? vs : null };
}

/** Reads a study. What the network of a changed scene no longer has is left out of it; a visitor's own study is taken at its word. */
export async function readStudy(lab: Engine, text: string): Promise<{ text: string; answer: StudyAnswer; leftOut: string[] }> {
  const leftOut: string[] = [];
  for (let tries = 0; ; tries++) {
    try {
      return { text, answer: await lab.ask<StudyAnswer>({ ask: "study", text }), leftOut };
    } catch (error) {
      const repaired = error instanceof EngineError && state.value.study === null && tries < 40 ? leaveOut(text, error) : null;
      if (!repaired) throw error;
      text = repaired.text;
      leftOut.push(repaired.leftOut);
    }
  }
}

/** Reads the study of the page's state and begins to train it. What was there stays on screen until the new one can. */
export async function openStudy(): Promise<void> {
  const lab = engine.value;
  if (!lab) return;
  const turn = ++opening;
  let early: Promise<Session> | null = null;
  try {
    // A scene as it is can be opened while it is read, and the schema can wait: the first training is on screen sooner.
    const untouched = isUntouched(state.value) && session === null;
    if (!untouched) {
      schema.value ??= await lab.ask<Schema>({ ask: "schema" });
      dropUnknownSettings(schema.value);
    }
    openedKey = trainingKey(state.value);
    if (state.value.vs) await readBase(lab, baseText(state.value));
    const asked = textOf(state.value);
    early = untouched ? lab.open(asked) : null;
    early?.catch(() => {}); // whoever awaits it is told
    const { text, answer, leftOut } = await readStudy(lab, asked);
    if (turn !== opening) return drop(early);
    left.value = leftOut;
    if (answer.seeds > MOST_SEEDS) {
      notice(`The study asks for ${answer.seeds} seeds; the page trains at most ${MOST_SEEDS}.`);
      state.value = { ...state.value, seeds: MOST_SEEDS };
      drop(early);
      return await openStudy();
    }
    const predicted = await predictions(lab, answer);
    if (turn !== opening) return drop(early); // what trains now is newer
    session?.close();
    session = null;
    const opened = await (early ?? lab.open(text));
    if (turn !== opening) return opened.close();
    begin(lab, opened, answer, text, predicted);
  } catch (error) {
    drop(early);
    if (turn === opening) {
      fail(error);
      if (!session && training.value === "going") training.value = "paused";
    }
    void readRest(lab);
  }
}

/** Closes a session that nobody waits for any more, once it is open. */
function drop(opened: Promise<Session> | null): void {
  opened?.then((one) => one.close()).catch(() => {}); // what could not be opened needs no closing
}

/** What can wait until something trains: which engine this is, and all that can be set. */
async function readRest(lab: Engine): Promise<void> {
  try {
    about.value ??= await lab.ask<About>({ ask: "about" });
    schema.value ??= await lab.ask<Schema>({ ask: "schema" });
  } catch (error) {
    fail(error);
  }
}

export function fail(error: unknown): void {
  problem.value = error instanceof EngineError ? error : new EngineError(error instanceof Error ? error.message : String(error));
  if (training.value === "starting") training.value = "paused";
}

function begin(lab: Engine, opened: Session, answer: StudyAnswer, text: string, predicted: (PredictAnswer | null)[]): void {
  session = opened;
  const recorded = new Recordings(answer.cells.map(({ series }) => series));
  for (const key of opened.runs) recorded.run(key);
  problem.value = null;
  study.value = answer;
  runningText.value = text;
  theory.value = predicted;
  judgement.value = null;
  recordings.value = recorded;
  Object.assign(effort, { milliseconds: 0, steps: 0 });
  frames.value++;
  let first = true;
  const judging = new Judging(() => judge(lab, text, recorded));
  opened.onFrame((frame) => {
    if (first) void readRest(lab);
    first = false;
    recorded.take(frame, opened.runs);
    recorded.ended = frame.ended;
    effort.milliseconds += frame.train_ms;
    effort.steps += frame.steps;
    if (frame.ended) training.value = "ended";
    tellOfFrame();
    void judging.look(frame.ended);
  });
  opened.onError((error) => {
    fail(error);
    pause();
  });
  training.value = "going"; // before the clock starts, which rests where nothing trains
  for (const tell of openListeners) tell(Math.max(...answer.cells.map(({ steps }) => steps)));
  opened.resume();
}

/** Settings for which the theory holds: it starts from nothing, with data and a rate that stay as they are. */
const SPOKEN: Record<string, Value> = {
  "network.form": "scores",
  "network.weight_start": 0,
  "network.gap_start": 0,
  "data.hops": 1,
  "data.schedule": "constant",
  "training.schedule": "constant",
  "training.momentum": 0,
  "training.warmup": 0,
};

/** What theory says of the cells it speaks of: regression with free scores, by gradient descent or along the published flow. */
async function predictions(lab: Engine, answer: StudyAnswer): Promise<(PredictAnswer | null)[]> {
  return Promise.all(
    answer.cells.map(async ({ config, steps }) => {
      const optimizer = config["training.optimizer"];
      const spoken = Object.entries(SPOKEN).every(([key, value]) => config[key] === value);
      if (!spoken || (optimizer !== "sgd" && optimizer !== "flow")) return null;
      return lab
        .ask<PredictAnswer>({
          ask: "predict",
          length: config["data.context"],
          dimension: config["data.dimension"],
          repeat: config["data.repeat"],
          cross: config["data.cross"],
          scores: optimizer === "sgd" ? "free" : "shared",
          threshold: 0.2,
          steps,
          rate: config["training.rate"],
        })
        .catch(() => null); // sizes for which the flow has no answer have no line
    }),
  );
}

/** What the judge says of some runs so far. */
async function judge(lab: Engine, text: string, recorded: Recordings): Promise<void> {
  try {
    const runs = recorded.runs.filter((run) => Object.keys(run.findings).length || run.diverged).map((run) => run.report());
    const answer = await lab.ask<JudgeAnswer>({ ask: "judge", text, interim: !recorded.ended, runs });
    if (recorded === recordings.value) judgement.value = answer;
  } catch (error) {
    if (recorded === recordings.value) fail(error);
  }
}

export function pause(): void {
  session?.pause();
  if (training.value === "going") training.value = "paused";
}

export function resume(): void {
  if (training.value !== "paused") return;
  if (!session) return void openStudy(); // it could not be opened; perhaps it can now
  session.resume();
  training.value = "going";
}

/** Lets every run train up to a step; null: to the end. */
export function limit(step: number | null): void {
  session?.limit(step);
}

export function suspend(): void {
  opening++;
  openedKey = "";
  session?.close();
  session = null;
  if (training.value === "going") training.value = "paused";
}

/** True where the page's state asks for other runs than those that are open. */
export const isStale = (): boolean => openedKey !== trainingKey(state.value);

/** The scene on screen; a study of the visitor's own has none. */
export const currentScene = computed(() => (state.value.study === null ? sceneOf(state.value.scene) : undefined));

/** Shows runs that were trained elsewhere, to their end. */
export function showRuns(answer: StudyAnswer, recorded: Recordings): void {
  study.value = answer;
  theory.value = answer.cells.map(() => null);
  judgement.value = null;
  recordings.value = recorded;
  pulse.value++;
  // On the plane these are a look at one cell; elsewhere they stay until something is changed.
  openedKey = state.value.tab === "plane" ? "" : trainingKey(state.value);
  for (const tell of openListeners) tell(Math.max(...answer.cells.map(({ steps }) => steps)));
  training.value = "ended";
  frames.value++;
}
