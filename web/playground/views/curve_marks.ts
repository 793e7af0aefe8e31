// What lies over the curves of the seeds: medians and bands, theory, levels, what detectors found, the seed that is looked at.
import { figures, toX, toY } from "../draw/axes.ts";
import { cellColor, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { toNumber } from "../engine/engine.ts";
import { cells, configOf, recordings, study, theory } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { state } from "../state/state.ts";
import { moment } from "../state/time.ts";
import { bandOf } from "./bands.ts";
import { eventKinds, happening } from "./events.ts";
import { runPoints, type LayerLook } from "./layer.ts";
import { drawMark } from "./marks.ts";
import { valueAt, type Level } from "./plot_subject.ts";

export function drawLevels(surface: Surface, colors: Palette, lines: Level[], look: LayerLook): void {
  const { frame, y } = look;
  for (const { name, at, color = colors.soft } of lines) {
    const height = Math.round(toY(frame, y, at)) + 0.5;
    if (height < frame.top - 4 || height > frame.top + frame.height + 4) continue;
    surface.line([frame.left, height, frame.left + frame.width, height], { color, dash: [5, 4] });
    surface.text(name, frame.left + frame.width - 4, height - 8, { color, align: "end", halo: colors.ground });
  }
}

export function drawTheory(surface: Surface, colors: Palette, address: string, { frame, x, y }: LayerLook): void {
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

export function drawBands(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
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

export function drawMarks(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
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
        drawMark(
          surface,
          kind.mark,
          toX(frame, x, event.from),
          toY(frame, y, valueAt(run, address, event.from)),
          shown ? 5 : 2.6,
          look.color(run),
          colors.ground,
        );
      }
    }
}

/** A run on its own: under the pointer or followed. */
export function drawRun(surface: Surface, colors: Palette, run: RunRecord, address: string, look: LayerLook, named: boolean): void {
  const points = runPoints(run, address, 0, look);
  surface.line(points, { color: colors.ground, width: 4.5 });
  surface.line(points, { color: colors.ink, width: 1.75 });
  if (!named) return;
  const value = valueAt(run, address, moment.value);
  const x = toX(look.frame, look.x, moment.value);
  const y = toY(look.frame, look.y, value);
  surface.circle(x, y, 4, colors.ink, 1, colors.ground);
}
