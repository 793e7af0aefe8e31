// Everything else that is one number: effective ranks, shares, sinks. One colour for each series, the median of all seeds, and the
// followed seed.
import { drawAxes, figures, niceScale, toX, toY } from "../draw/axes.ts";
import { cellColor, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { cells, configOf, recordings, shownCells } from "../state/lab.ts";
import { state } from "../state/state.ts";
import { isLive, moment } from "../state/time.ts";
import { bandOf } from "./bands.ts";
import { mainSeries, timeScale } from "./plot_subject.ts";
import { Plot } from "./plot.tsx";
import { shortText } from "./words.ts";

const HEIGHT = 258;
const NAMES: Record<string, string> = {
  "embedding.effective_dimension": "embedding",
  "layer.0.query.effective_rank": "W_Q",
  "layer.0.key.effective_rank": "W_K",
  "layer.0.value.effective_rank": "W_V",
  "layer.0.attention.sink": "attention on the first position",
  "layer.0.attention.previous": "layer 0 on the previous token",
  "layer.0.attention.answer": "attention on the answer",
  "layer.1.attention.answer": "layer 1 on the answer",
  "attention.relevant": "attention on the token that matters",
  "weight.share": "weights, share of their way",
};

const SKIPPED = /^(loss|perplexity|accuracy|attention\.entropy)/;

/** Ranks are on one axis, shares on another: the first kind that there is. */
function series(): string[] {
  const main = mainSeries().address;
  const scalars = (cells.value[0]?.series ?? [])
    .filter(({ shape, address }) => shape.length === 0 && address !== main && !SKIPPED.test(address))
    .map(({ address }) => address);
  // Two centred rows have rank 1 whatever they are: at width 2 the rank of W_Q tells nothing.
  const narrow = Number(configOf(0)["network.width"]) <= 2;
  const ranks = scalars.filter((address) => (narrow ? /effective_dimension$/ : /effective_(rank|dimension)$/).test(address));
  const others = scalars.filter((address) => !/effective_(rank|dimension)$/.test(address));
  return (ranks.length ? ranks : others).slice(0, 6);
}

const heading = (): string => (series().some((address) => /effective_/.test(address)) ? "Effective ranks" : "Inside the network");
const nameOf = (address: string): string => NAMES[address] ?? address;

/** Names one after the other, on as many rows as they need. */
function placeNames(addresses: string[], width: number): { words: string; left: number; row: number }[] {
  let left = 0;
  let row = 0;
  return addresses.map((address) => {
    const words = nameOf(address);
    const room = 18 + words.length * 6.4;
    if (left > 0 && left + room > width) {
      left = 0;
      row++;
    }
    const place = { words, left, row };
    left += room + 16;
    return place;
  });
}

/** Where two settings are compared, the first colours are theirs. */
const seriesColor = (colors: Palette, index: number): string => cellColor(colors, cells.value.length > 1 ? index + 2 : index);

function draw(surface: Surface, colors: Palette): void {
  const x = timeScale();
  const addresses = series();
  const names = placeNames(addresses, surface.width);
  const rows = Math.max(0, ...names.map(({ row }) => row));
  const frame = { left: 40, top: 14, width: Math.max(40, surface.width - 40 - 24), height: HEIGHT - 70 - rows * 16 };
  let low = Infinity;
  let high = -Infinity;
  const bands = addresses.flatMap((address, index) =>
    shownCells.value.map((_, cell) => ({ address, index, cell, band: bandOf(recordings.value, cell, address) })),
  );
  for (const { band } of bands)
    for (let i = 0; i < band.steps.length; i++) {
      low = Math.min(low, band.low[i] ?? Infinity);
      high = Math.max(high, band.high[i] ?? -Infinity);
    }
  const ranks = heading() === "Effective ranks";
  const y = ranks ? niceScale(1, Math.max(2, high), false) : niceScale(Math.min(0, low), Math.max(1, high), false);
  drawAxes(surface, colors, frame, { scale: x, title: "training step" }, { scale: y, title: "" });
  surface.clip(frame.left, frame.top - 4, frame.width + 2, frame.height + 8, () => {
    for (const { address, index, cell, band } of bands) {
      const color = seriesColor(colors, index);
      const above = band.steps.flatMap((step, i) => [toX(frame, x, step), toY(frame, y, band.high[i] ?? NaN)]);
      const below: number[] = [];
      for (let i = band.steps.length - 1; i >= 0; i--) below.push(toX(frame, x, band.steps[i] ?? NaN), toY(frame, y, band.low[i] ?? NaN));
      if (cells.value.length === 1) surface.area([...above, ...below], color, 0.1);
      const median = band.steps.flatMap((step, i) => [toX(frame, x, step), toY(frame, y, band.median[i] ?? NaN)]);
      surface.line(median, { color, width: 2, dash: cell > 0 ? [5, 3] : [] });
      const run = state.value.follow === null ? undefined : recordings.value.find(cell, state.value.follow);
      const track = run?.tracks.get(address);
      if (!track) continue;
      const points = Array.from({ length: track.length }, (_, i) => [toX(frame, x, track.step(i)), toY(frame, y, track.value(i))]).flat();
      surface.line(points, { color, width: 1, dash: [1, 2] });
    }
    const now = Math.round(toX(frame, x, moment.value)) + 0.5;
    if (!isLive.value)
      surface.rect(now, frame.top - 4, Math.max(0, frame.left + frame.width - now + 2), frame.height + 8, colors.ground, 0.65);
    surface.line([now, frame.top - 4, now, frame.top + frame.height], { color: colors.ink, alpha: isLive.value ? 0.25 : 0.9 });
  });
  // The names, along the bottom: they never lie over a line.
  names.forEach(({ words, left, row }, index) => {
    const y = HEIGHT - 9 - (rows - row) * 16;
    surface.line([left, y, left + 14, y], { color: seriesColor(colors, index), width: 3 });
    surface.text(words, left + 18, y + 1, { color: colors.ink, size: 11 });
  });
}

export function Scalars() {
  if (!series().length) return null;
  const describe = (): string => {
    const parts = series().map((address) => `${nameOf(address)} ${figures(bandOf(recordings.value, 0, address).at(moment.value))}`);
    return `${heading()} at step ${figures(moment.value)}, medians over seeds: ${parts.join(", ")}`;
  };
  const many = cells.value.length > 1;
  return (
    <Plot
      name="ranks"
      title={heading()}
      height={HEIGHT}
      draw={draw}
      describe={describe}
      tools={
        <span class="hint">
          {many
            ? cells.value.map((cell, index) => `${index ? "dashed" : "solid"}: ${shortText(cell)}`).join(" · ")
            : "medians · shade: 80 % of seeds"}
        </span>
      }
    />
  );
}
