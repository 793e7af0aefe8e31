// What the large plot is about: its series, its axes, the levels it is compared with.
import { niceScale, type Frame, type Scale } from "../draw/axes.ts";
import { cellColor, type Palette } from "../draw/palette.ts";
import { toNumber } from "../engine/engine.ts";
import { zoom } from "../state/attention.ts";
import { cells, configOf, currentScene, recordings } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { horizon } from "../state/time.ts";
import type { LayerLook } from "./layer.ts";

const MARGIN = { left: 46, top: 30, bottom: 40 };
export const sideWidth = (width: number): number => (width < 520 ? 64 : 150);

export const timeFrame = (width: number, height: number, top = MARGIN.top, bottom = MARGIN.bottom): Frame => ({
  left: MARGIN.left,
  top,
  width: Math.max(40, width - MARGIN.left - sideWidth(width)),
  height: Math.max(20, height - top - bottom),
});

export const timeScale = (): Scale => {
  const [low, high] = zoom.value ?? [0, horizon.value];
  return { low, high, log: false };
};

/** The series of the large plot: what the scene says, or else the first that is one number. */
export function mainSeries(): { address: string; log: boolean } {
  const scene = currentScene.value;
  const scalars = (cells.value[0]?.series ?? []).filter(({ shape }) => shape.length === 0).map(({ address }) => address);
  if (scene && scalars.includes(scene.main)) return { address: scene.main, log: scene.log };
  const address = ["perplexity", "loss.expected", "loss"].find((name) => scalars.includes(name)) ?? scalars[0] ?? "perplexity";
  return { address, log: address === "perplexity" };
}

export interface Level {
  name: string;
  at: number;
  color?: string;
}

/** The losses that a task can be compared with, in words. */
const REFERENCES: Record<string, string> = {
  start: "at the start",
  best: "best possible",
  guess: "a guess among the earlier tokens",
  narrow: "(C − 2)/(C − 1) V",
};

function levels(colors: Palette, address: string): Level[] {
  const many = cells.value.length > 1;
  const found: Level[] = [];
  cells.value.forEach((cell, index) => {
    const color = many ? cellColor(colors, index) : colors.soft;
    for (const line of currentScene.value?.lines?.(configOf(index)) ?? []) found.push({ ...line, color });
    for (const reference of cell.references) {
      const at = toNumber(address === "perplexity" ? reference.perplexity : address.startsWith("loss") ? reference.loss : null);
      if (at > 0) found.push({ name: REFERENCES[reference.name] ?? reference.name, at, color });
    }
  });
  // One line for what settings share.
  const same = (a: Level, b: Level): boolean => a.name === b.name && Math.abs(a.at - b.at) <= 1e-9 * Math.abs(a.at);
  const told = found
    .filter((one, i) => found.findIndex((other) => same(one, other)) === i)
    .map((one) => (found.filter((other) => same(one, other)).length > 1 ? { ...one, color: colors.soft } : one));
  // And one with both names where two of a setting meet: names would lie over each other.
  return told.reduce<Level[]>((list, one) => {
    const met = list.find((other) => other.color === one.color && Math.abs(other.at - one.at) <= 1e-3 * Math.abs(one.at));
    return met ? list.map((other) => (other === met ? { ...met, name: `${met.name} = ${one.name}` } : other)) : [...list, one];
  }, []);
}

let ranged = { id: -1, address: "", low: Infinity, high: -Infinity };

/** Of what the seeds began with, what was seen and the lines: it widens and never narrows. */
function valueScale(address: string, log: boolean, lines: Level[]): Scale {
  const recorded = recordings.value;
  if (address.startsWith("accuracy")) return { low: 0, high: 1.04, log: false };
  if (ranged.id !== recorded.id || ranged.address !== address) {
    ranged = { id: recorded.id, address, low: Infinity, high: -Infinity };
    for (const { at } of lines) if (at > 0 || !log) ranged = { ...ranged, low: Math.min(ranged.low, at), high: Math.max(ranged.high, at) };
    if (!log) ranged.low = Math.min(0, ranged.low);
    // Nothing is below the best that is possible; where that is not known, it may be 1.
    if (address === "perplexity") ranged.low = Math.min(ranged.low, log && !cells.value[0]?.references.length ? 1 : ranged.low);
  }
  for (const run of recorded.runs) {
    const track = run.tracks.get(address);
    if (!track?.length) continue;
    const first = track.value(0);
    if (Number.isFinite(first)) ranged.high = Math.max(ranged.high, first);
    const last = track.value(track.length - 1);
    if (last > 0 || !log) ranged.low = Math.min(ranged.low, Number.isFinite(last) ? last : Infinity);
  }
  if (log && address === "perplexity") ranged.low = Math.max(ranged.low, 0.98);
  return niceScale(ranged.low, ranged.high, log);
}

export function setup(width: number, height: number, colors: Palette) {
  const main = mainSeries();
  const lines = levels(colors, main.address);
  const frame = timeFrame(width, height);
  const many = cells.value.length > 1;
  const look: LayerLook = {
    frame,
    x: timeScale(),
    y: valueScale(main.address, main.log, lines),
    color: (run) => (many ? cellColor(colors, run.key.cell) : colors.accent),
    alpha: Math.max(0.12, Math.min(0.5, 6 / Math.sqrt(recordings.value.runs.length + 1) / 2)),
  };
  return { main, lines, look };
}

const TITLES: Record<string, string> = {
  perplexity: "Perplexity",
  loss: "Loss",
  "loss.expected": "Expected loss",
  "accuracy.test": "Test accuracy",
  accuracy: "Accuracy",
};
export const title = (address: string): string => TITLES[address] ?? address;
/** What the axis counts: losses of tokens are in nats, accuracies are shares. */
export const unit = (address: string): string => {
  if (address.startsWith("accuracy")) return ", share of answers";
  return address === "loss" && configOf(0)["data.task"] !== "regression" ? ", nats" : "";
};

/** What a run had measured by a step. */
export function valueAt(run: RunRecord, address: string, step: number): number {
  const track = run.tracks.get(address);
  const index = track?.at(step) ?? -1;
  return index < 0 || !track ? NaN : track.value(index);
}
