// The large plot: one line per seed, median and band of each setting, what theory says, where detectors fired, and beside it how the
// seeds are spread at the step that is looked at.
import { drawAxes, figures, fromX, toX, toY } from "../draw/axes.ts";
import type { Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { follow, hover, hovered, zoom } from "../state/attention.ts";
import { cells, effort, engine, pulse, recordings, study, training } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { state } from "../state/state.ts";
import { head, horizon, isLive, lookAt, moment, stepBy } from "../state/time.ts";
import { bandOf } from "./bands.ts";
import { drawBands, drawLevels, drawMarks, drawRun, drawTheory } from "./curve_marks.ts";
import { SeedLayer } from "./layer.ts";
import { mainSeries, setup, timeFrame, timeScale, title, unit, valueAt } from "./plot_subject.ts";
import { Plot } from "./plot.tsx";
import { drawSpread } from "./spread.ts";
import { shortText } from "./words.ts";

const layer = new SeedLayer();

export function drawCurves(surface: Surface, colors: Palette): void {
  if (!study.value) return;
  const { main, lines, look } = setup(surface.width, surface.height, colors);
  const { frame, x, y } = look;
  drawAxes(
    surface,
    colors,
    frame,
    { scale: x, title: "training step" },
    { scale: y, title: `${title(main.address)}${unit(main.address)}${main.log ? " (log scale)" : ""}` },
  );
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
    if (!isLive.value)
      surface.rect(now, frame.top - 4, Math.max(0, frame.left + frame.width - now + 2), frame.height + 8, colors.ground, 0.65);
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

const duration = (seconds: number): string => (seconds < 100 ? `${Math.ceil(seconds / 10) * 10} s` : seconds < 6000 ? `${Math.ceil(seconds / 60)} minutes` : `${figures(seconds / 3600)} hours`);

function Status() {
  void pulse.value;
  const speed = effort.milliseconds > 0 ? effort.steps / (effort.milliseconds / 1000) : 0;
  // Long trainings say how long: what is left of all runs, at the speed so far.
  const rest = recordings.value.runs.reduce((sum, run) => sum + (run.finished ? 0 : (cells.value[run.key.cell]?.steps ?? 0) - run.step), 0);
  const seconds = rest / (speed * (engine.value?.workers ?? 1));
  return (
    <span class="hint status" role="status">
      {STATUS[training.value]}
      {speed > 0 ? `, ${figures(Number(speed.toPrecision(2)))} steps a second on each core` : ""}
      {training.value === "going" && seconds > 20 && seconds < Infinity ? `, about ${duration(seconds)} to go` : ""}
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
