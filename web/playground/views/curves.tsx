// The large plot: one line per seed, median and band of each setting, what theory says, where detectors fired, and beside it how the
// seeds are spread at the step that is looked at.
import { drawAxes, figures, fromX, niceScale, toX, toY, type Frame, type Scale } from "../draw/axes.ts";
import { cellColor, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { toNumber } from "../engine/engine.ts";
import { follow, hover, hovered, zoom } from "../state/attention.ts";
import { cells, configOf, currentScene, effort, judgement, pulse, recordings, study, theory, training } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { state } from "../state/state.ts";
import { head, horizon, isLive, lookAt, moment, stepBy } from "../state/time.ts";
import { bandOf } from "./bands.ts";
import { eventKinds, happening } from "./events.ts";
import { runPoints, SeedLayer, type LayerLook } from "./layer.ts";
import { shortText } from "./words.ts";
import { drawMark } from "./marks.ts";
import { Plot } from "./plot.tsx";

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

interface Level {
  name: string;
  at: number;
  color?: string;
}

/** The losses that a task can be compared with, in words. */
const REFERENCES: Record<string, string> = { start: "at the start", best: "best possible", guess: "a guess among the earlier tokens", narrow: "(C − 2)/(C − 1) V" };

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
  return found
    .filter((one, i) => found.findIndex((other) => same(one, other)) === i)
    .map((one) => (found.filter((other) => same(one, other)).length > 1 ? { ...one, color: colors.soft } : one));
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
    if (address === "perplexity") ranged.low = Math.min(ranged.low, lines.length && !log ? ranged.low : 1);
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

const layer = new SeedLayer();

function setup(width: number, height: number, colors: Palette) {
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

const TITLES: Record<string, string> = { perplexity: "Perplexity", loss: "Loss", "loss.expected": "Expected loss", "accuracy.test": "Test accuracy", accuracy: "Accuracy" };
const title = (address: string): string => TITLES[address] ?? address;
/** What the axis counts: losses of tokens are in nats, accuracies are shares. */
const unit = (address: string): string => {
  if (address.startsWith("accuracy")) return ", share of answers";
  return address === "loss" && configOf(0)["data.task"] !== "regression" ? ", nats" : "";
};

function drawLevels(surface: Surface, colors: Palette, lines: Level[], look: LayerLook): void {
  const { frame, y } = look;
  for (const { name, at, color = colors.soft } of lines) {
    const height = Math.round(toY(frame, y, at)) + 0.5;
    if (height < frame.top - 4 || height > frame.top + frame.height + 4) continue;
    surface.line([frame.left, height, frame.left + frame.width, height], { color, dash: [5, 4] });
    surface.text(name, frame.left + frame.width - 4, height - 8, { color, align: "end", halo: colors.ground });
  }
}

function drawTheory(surface: Surface, colors: Palette, address: string, { frame, x, y }: LayerLook): void {
  theory.value.forEach((predicted, cell) => {
    const curve = predicted?.curve;
    if (!predicted || !curve || !address.startsWith("loss")) return;
    const color = theory.value.length > 1 ? cellColor(colors, cell) : colors.ink;
    const points = curve.times.flatMap((time, i) => [toX(frame, x, time), toY(frame, y, toNumber(curve.train[i]))]);
    surface.line(points, { color, width: 2, dash: [2, 4] });
    const flow = toNumber(predicted.flow) / Number(configOf(cell)["training.rate"] ?? 1);
    if (!Number.isFinite(flow)) return;
    const at = toX(frame, x, flow);
    const end = toY(frame, y, toNumber(curve.train[0]) * 0.5);
    surface.text(`theory: ${figures(flow)} steps`, at + 8, end + cell * 16, { color, halo: colors.ground });
  });
}

function drawBands(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
  const { frame, x, y } = look;
  const many = cells.value.length > 1;
  cells.value.forEach((_, cell) => {
    const color = many ? cellColor(colors, cell) : colors.accent;
    const band = bandOf(recordings.value, cell, address);
    if (band.runs.length > 1) {
      const above = band.steps.flatMap((step, i) => [toX(frame, x, step), toY(frame, y, band.high[i] ?? NaN)]);
      const below: number[] = [];
      for (let i = band.steps.length - 1; i >= 0; i--) below.push(toX(frame, x, band.steps[i] ?? NaN), toY(frame, y, band.low[i] ?? NaN));
      surface.area([...above, ...below], color, 0.13);
    }
    const median = band.steps.flatMap((step, i) => [toX(frame, x, step), toY(frame, y, band.median[i] ?? NaN)]);
    surface.line(median, { color: colors.ground, width: 4.5, alpha: 0.7 });
    surface.line(median, { color, width: 2.25 });
  });
}

function valueAt(run: RunRecord, address: string, step: number): number {
  const track = run.tracks.get(address);
  const index = track?.at(step) ?? -1;
  return index < 0 || !track ? NaN : track.value(index);
}

function drawMarks(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
  const { frame, x, y } = look;
  for (const kind of eventKinds(study.value?.phenomena ?? []))
    for (const run of recordings.value.runs) {
      const event = happening(run, kind);
      if (!event) continue;
      const shown = state.value.follow === run.key.seed;
      if (kind.mark === "bar") {
        if (!shown) continue;
        const level = toY(frame, y, valueAt(run, address, (event.from + event.to) / 2));
        surface.line([toX(frame, x, event.from), level, toX(frame, x, event.to), level], { color: colors.ink, width: 5, alpha: 0.35 });
      } else {
        drawMark(surface, kind.mark, toX(frame, x, event.from), toY(frame, y, valueAt(run, address, event.from)), shown ? 5 : 2.6, look.color(run), colors.ground);
      }
    }
}

/** A run on its own: under the pointer or followed. */
function drawRun(surface: Surface, colors: Palette, run: RunRecord, address: string, look: LayerLook, named: boolean): void {
  const points = runPoints(run, address, 0, look);
  surface.line(points, { color: colors.ground, width: 4.5 });
  surface.line(points, { color: colors.ink, width: 1.75 });
  if (!named) return;
  const value = valueAt(run, address, moment.value);
  const x = toX(look.frame, look.x, moment.value);
  const y = toY(look.frame, look.y, value);
  surface.circle(x, y, 4, colors.ink, 1, colors.ground);
}

/** How the seeds are spread at the step that is looked at: one dot each, side by side where they agree. */
function drawSpread(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
  const { frame, y } = look;
  const left = frame.left + frame.width + 14;
  const room = surface.width - left - 6;
  const radius = recordings.value.runs.length > 100 ? 1.7 : 2.4;
  const taken = new Map<number, number>();
  surface.line([left - 6.5, frame.top, left - 6.5, frame.top + frame.height], { color: colors.grid });
  for (const run of recordings.value.runs) {
    const value = valueAt(run, address, moment.value);
    if (!Number.isFinite(value)) continue;
    const row = Math.round(toY(frame, y, value) / (radius * 2));
    const place = taken.get(row) ?? 0;
    taken.set(row, place + 1);
    const height = Math.min(frame.top + frame.height + 4, Math.max(frame.top - 4, row * radius * 2));
    const along = left + ((place * radius * 2.1) % Math.max(1, room - radius));
    const followed = state.value.follow === run.key.seed;
    surface.circle(along, height, followed ? radius + 2 : radius, followed ? colors.ink : look.color(run), followed ? 1 : 0.8);
  }
  if (surface.width < 560) return;
  surface.text(isLive.value && recordings.value.ended ? "where seeds end" : `at step ${figures(moment.value)}`, left, frame.top - 16, { color: colors.soft });
  if (!isLive.value || cells.value.length > 1) return;
  const basins = judgement.value?.cells[0]?.observables.find((one) => one.address === address)?.basins ?? [];
  if (basins.length < 2) return;
  let lowest = -Infinity;
  for (const { count, median } of [...basins].filter((basin) => basin.count > 1).sort((a, b) => b.median - a.median)) {
    const at = Math.max(lowest + 14, toY(frame, y, median) - 11);
    surface.text(`${count} near ${figures(median)}`, surface.width - 4, at, { color: colors.ink, align: "end", halo: colors.ground });
    lowest = at;
  }
}

export function drawCurves(surface: Surface, colors: Palette): void {
  if (!study.value) return;
  const { main, lines, look } = setup(surface.width, surface.height, colors);
  const { frame, x, y } = look;
  drawAxes(surface, colors, frame, { scale: x, title: "training step" }, { scale: y, title: `${title(main.address)}${unit(main.address)}${main.log ? " (log scale)" : ""}` });
  const key = `${recordings.value.id} ${main.address} ${colors.dark} ${cells.value.length}`;
  layer.draw(surface, recordings.value.runs, main.address, look, key);
  surface.clip(frame.left, frame.top - 4, frame.width + 2, frame.height + 8, () => {
    drawBands(surface, colors, main.address, look);
    drawTheory(surface, colors, main.address, look);
    drawLevels(surface, colors, lines, look);
    drawMarks(surface, colors, main.address, look);
    for (const run of recordings.value.runs) {
      const pointed = hovered.value?.seed === run.key.seed && hovered.value.cell === run.key.cell;
      if (pointed || state.value.follow === run.key.seed) drawRun(surface, colors, run, main.address, look, true);
    }
    const now = Math.round(toX(frame, x, moment.value)) + 0.5;
    if (!isLive.value) surface.rect(now, frame.top - 4, Math.max(0, frame.left + frame.width - now + 2), frame.height + 8, colors.ground, 0.65);
    surface.line([now, frame.top - 4, now, frame.top + frame.height], { color: colors.ink, width: 1, alpha: isLive.value ? 0.25 : 0.9 });
    if (dragged) {
      const [from, to] = dragged;
      surface.rect(Math.min(from, to), frame.top, Math.abs(to - from), frame.height, colors.accent, 0.15);
    }
  });
  drawSpread(surface, colors, main.address, look);
  const run = hovered.value && recordings.value.find(hovered.value.cell, hovered.value.seed);
  if (run) {
    const value = valueAt(run, main.address, moment.value);
    const words = `seed ${run.key.seed}: ${figures(value)} at step ${figures(moment.value)}`;
    surface.text(words, frame.left + frame.width, frame.top - 16, { color: colors.ink, align: "end", weight: 600, halo: colors.ground });
  }
}

let size: [number, number] = [600, 320];
let dragged: [number, number] | null = null;

function nearest(px: number, py: number, colors: Palette): RunRecord | null {
  const { main, look } = setup(size[0], size[1], colors);
  const { frame, x, y } = look;
  const beyond = px > frame.left + frame.width;
  const step = beyond ? moment.value : fromX(frame, x, px);
  let best: RunRecord | null = null;
  let least = 14;
  for (const run of recordings.value.runs) {
    const away = Math.abs(toY(frame, y, valueAt(run, main.address, step)) - py);
    if (away < least) {
      least = away;
      best = run;
    }
  }
  return best;
}

function zoomBy(factor: number): void {
  const [low, high] = zoom.value ?? [0, horizon.value];
  const middle = Math.min(high, Math.max(low, moment.value));
  const from = Math.max(0, middle - (middle - low) * factor);
  const to = Math.min(horizon.value, middle + (high - middle) * factor);
  zoom.value = to - from >= horizon.value * 0.999 || to - from < 1 ? null : [from, to];
}

const KEYS: Record<string, () => void> = {
  ArrowLeft: () => stepBy(-1),
  ArrowRight: () => stepBy(1),
  Home: () => lookAt(0),
  End: () => lookAt(null),
  "+": () => zoomBy(0.5),
  "-": () => zoomBy(2),
  "0": () => (zoom.value = null),
};

const STATUS = { starting: "starting", going: "training", paused: "paused", ended: "trained" } as const;

function Status() {
  void pulse.value;
  const speed = effort.milliseconds > 0 ? effort.steps / (effort.milliseconds / 1000) : 0;
  return (
    <span class="hint status" role="status">
      {STATUS[training.value]}
      {speed > 0 ? `, ${figures(Number(speed.toPrecision(2)))} steps a second on each core` : ""}
    </span>
  );
}

export function Curves({ colors }: { colors: () => Palette }) {
  const main = mainSeries();
  const describe = (): string => {
    const parts = cells.value.map((cell, index) => {
      const band = bandOf(recordings.value, index, mainSeries().address);
      return `${shortText(cell)}: median ${figures(band.at(moment.value))}`;
    });
    return `${title(mainSeries().address)} of ${recordings.value.runs.length} runs up to step ${figures(head.value)}. At step ${figures(moment.value)} ${parts.join("; ")}. Arrow keys step through time, plus and minus zoom.`;
  };
  return (
    <Plot
      name="curves"
      title={`${title(main.address)} over training`}
      height={340}
      describe={describe}
      draw={(surface, palette) => {
        size = [surface.width, surface.height];
        drawCurves(surface, palette);
      }}
      onPoint={(x, y) => {
        const run = nearest(x, y, colors());
        hover(run ? run.key : null);
      }}
      onLeave={() => hover(null)}
      onPick={(x, y) => {
        const run = nearest(x, y, colors());
        if (run) follow(state.value.follow === run.key.seed ? null : run.key.seed);
      }}
      onDrag={(from, to, done) => {
        const frame = timeFrame(size[0], size[1]);
        dragged = done ? null : [from, to];
        if (done) {
          const ends = [fromX(frame, timeScale(), from), fromX(frame, timeScale(), to)].sort((a, b) => a - b);
          zoom.value = [Math.max(0, ends[0] as number), Math.min(horizon.value, ends[1] as number)];
        } else zoom.value = zoom.value ? [...zoom.value] : null;
        hovered.value = hovered.value ? { ...hovered.value } : null;
      }}
      onReset={() => (zoom.value = null)}
      onKey={(key) => {
        const action = KEYS[key];
        action?.();
        return action !== undefined;
      }}
      tools={
        <>
        <span class="hint">
          {zoom.value ? (
            <button type="button" class="quiet" onClick={() => (zoom.value = null)}>
              show all steps
            </button>
          ) : (
            "thick: median · shade: 80 % of seeds · drag to zoom"
          )}
        </span>
        <Status />
        </>
      }
    />
  );
}
