// Next to the curves: how the seeds are spread at the step that is looked at, and the basins they fall into.
import { figures, toY } from "../draw/axes.ts";
import type { Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { cells, judgement, recordings } from "../state/lab.ts";
import { state } from "../state/state.ts";
import { isLive, moment } from "../state/time.ts";
import type { LayerLook } from "./layer.ts";
import { valueAt } from "./plot_subject.ts";

/** How the seeds are spread at the step that is looked at: one dot each, side by side where they agree. */
export function drawSpread(surface: Surface, colors: Palette, address: string, look: LayerLook): void {
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
  surface.text(isLive.value && recordings.value.ended ? "where seeds end" : `at step ${figures(moment.value)}`, left, frame.top - 16, {
    color: colors.soft,
  });
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
