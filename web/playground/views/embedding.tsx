// Embeddings as they move: those of one seed with their paths, or those of all seeds side by side.
import { signal } from "@preact/signals";
import { drawAxes, figures, toX, toY, type Frame, type Scale } from "../draw/axes.ts";
import { cellColor, tokenColor, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import type { Cell } from "../engine/engine.ts";
import { follow, hover, hovered, shownRun } from "../state/attention.ts";
import { cells, configOf, recordings, shownCells } from "../state/lab.ts";
import type { RunRecord, Track } from "../state/recordings.ts";
import { state } from "../state/state.ts";
import { moment } from "../state/time.ts";
import { Plot } from "./plot.tsx";
import { shortText } from "./words.ts";
import { planeOf, project, reachOf } from "./project.ts";

const HEIGHT = "min(566px, 88vw)";
let size: [number, number] = [400, 400];
const chosen = signal("");
const together = signal(false);

const matrices = (): string[] =>
  (cells.value[0]?.series ?? [])
    .filter(({ shape, address }) => shape.length === 2 && /^(embedding|positions|unembedding|W_E|W_pos|W_U)$/.test(address))
    .map(({ address }) => address);

const address = (): string => (matrices().includes(chosen.value) ? chosen.value : (matrices()[0] ?? ""));

const NAMES: Record<string, string> = { embedding: "tokens", positions: "positions", unembedding: "unembedding" };

const featuresOf = (cell: number): number => cells.value[cell]?.series.find((one) => one.address === address())?.shape[1] ?? 2;

function label(cell: number, index: number, count: number): string {
  const bos = configOf(cell)["data.bos"] === true && count === Number(configOf(cell)["data.vocab"]) + 1 && address() !== "positions";
  return bos && index === count - 1 ? "BOS" : String(index);
}

function drawPaths(
  surface: Surface,
  colors: Palette,
  track: Track,
  last: number,
  width: number,
  at: (x: number, y: number) => [number, number],
): void {
  const plane = planeOf(track, width);
  const count = track.width / width;
  const stride = Math.max(1, Math.ceil(((last + 1) * count) / 6000));
  const paths: number[][] = Array.from({ length: count }, () => []);
  for (let i = 0; i <= last; i = i === last ? last + 1 : Math.min(last, i + stride)) {
    const points = project(track.point(i), width, plane);
    for (let row = 0; row < count; row++) (paths[row] as number[]).push(...at(points[row * 2] as number, points[row * 2 + 1] as number));
  }
  const alpha = count > 40 ? 0.18 : count > 12 ? 0.3 : 0.65;
  paths.forEach((path, row) => surface.line(path, { color: tokenColor(colors, row, count), width: count > 12 ? 1 : 1.75, alpha }));
}

function drawOne(surface: Surface, colors: Palette, run: RunRecord, frame: Frame, large: boolean): void {
  const track = run.tracks.get(address());
  const last = track?.at(moment.value) ?? -1;
  const width = featuresOf(run.key.cell);
  if (!track || last < 0) return;
  const reach = reachOf(track, width);
  const scale: Scale = { low: -reach, high: reach, log: false };
  const at = (x: number, y: number): [number, number] => [toX(frame, scale, x), toY(frame, scale, y)];
  const [left, , , bottom] = [frame.left, 0, 0, frame.top + frame.height];
  if (large) {
    const axis = width > 2 ? "first principal component" : "dimension 1";
    drawAxes(surface, colors, frame, { scale, title: axis }, { scale, title: "" });
    surface.text(width > 2 ? "second principal component" : width > 1 ? "dimension 2" : "", frame.left - 34, frame.top, {
      color: colors.soft,
      align: "end",
      baseline: "top",
      turned: true,
    });
    surface.line([...at(0, -reach), ...at(0, reach)], { color: colors.grid });
  } else {
    const pointed = hovered.value?.seed === run.key.seed && hovered.value.cell === run.key.cell;
    const followed = state.value.follow === run.key.seed;
    const rim = followed || pointed ? colors.ink : colors.grid;
    surface.line([left, frame.top, left + frame.width, frame.top, left + frame.width, bottom, left, bottom, left, frame.top], {
      color: rim,
      width: followed ? 2 : 1,
    });
  }
  const points = project(track.point(last), width, planeOf(track, width));
  const count = points.length / 2;
  surface.clip(frame.left, frame.top, frame.width, frame.height, () => {
    if (large || count <= 10) drawPaths(surface, colors, track, last, width, at);
    const radius = large ? (count > 40 ? 3.5 : 5) : count > 40 ? 1.2 : 2.2;
    for (let row = 0; row < count; row++) {
      const [x, y] = at(points[row * 2] as number, points[row * 2 + 1] as number);
      surface.circle(x, y, radius, tokenColor(colors, row, count), 1, large ? colors.ground : undefined);
      const name = label(run.key.cell, row, count);
      if (large && (count <= 12 || name === "BOS")) {
        const edge = x > frame.left + frame.width - 34;
        surface.text(name, edge ? x - 8 : x + 8, y - 8, {
          color: colors.ink,
          size: 12,
          weight: 600,
          halo: colors.ground,
          align: edge ? "end" : "start",
        });
      }
    }
  });
}

/** The frames of all runs, in rows. */
function grid(width: number): { run: RunRecord; frame: Frame }[] {
  const runs = recordings.value.runs.slice(0, 144);
  const room = size[1] - 10;
  let columns = 1;
  while (Math.ceil(runs.length / columns) * ((width - 4) / columns) > room && columns < runs.length) columns++;
  const side = Math.min((width - 4) / columns, room / Math.ceil(runs.length / columns));
  return runs.map((run, i) => ({
    run,
    frame: { left: 2 + (i % columns) * side, top: 4 + Math.floor(i / columns) * side, width: side - 4, height: side - 4 },
  }));
}

/** Square frames of the shown runs, one for each setting. */
function singles(width: number): { run: RunRecord; frame: Frame }[] {
  const shown = shownCells.value.flatMap((_, cell) => shownRun(cell) ?? []);
  // Next to each other or one above the other, whichever makes them larger.
  const roomOf = (columns: number): [number, number] => [width / columns, size[1] / Math.ceil(shown.length / columns)];
  const sideOf = (columns: number): number => Math.max(40, Math.min(roomOf(columns)[0] - 70, roomOf(columns)[1] - 62));
  let columns = 1;
  for (let more = 2; more <= shown.length; more++) if (sideOf(more) > sideOf(columns)) columns = more;
  const [across, down] = roomOf(columns);
  const side = sideOf(columns);
  return shown.map((run, i) => {
    const left = (i % columns) * across + (across - side) / 2 + 20;
    return { run, frame: { left, top: Math.floor(i / columns) * down + 20 + Math.max(0, (down - side - 62) / 2), width: side, height: side } };
  });
}

const frames = (width: number): { run: RunRecord; frame: Frame }[] => (together.value ? grid(width) : singles(width));

function draw(surface: Surface, colors: Palette): void {
  size = [surface.width, surface.height];
  for (const { run, frame } of frames(surface.width)) {
    drawOne(surface, colors, run, frame, !together.value);
    if (together.value) continue;
    const many = cells.value.length > 1;
    const words = many ? `${shortText(cells.value[run.key.cell] as Cell)}, seed ${run.key.seed}` : `seed ${run.key.seed}`;
    surface.text(words, frame.left, frame.top - 12, {
      color: many ? cellColor(colors, run.key.cell) : colors.soft,
      weight: many ? 600 : 400,
    });
  }
}

const under = (x: number, y: number): RunRecord | undefined =>
  frames(size[0]).find(({ frame }) => x >= frame.left && x <= frame.left + frame.width && y >= frame.top && y <= frame.top + frame.height)
    ?.run;

export function Embedding() {
  if (!matrices().length) return null;
  const describe = (): string => {
    const run = shownRun(0);
    const track = run?.tracks.get(address());
    const index = track?.at(moment.value) ?? -1;
    if (!run || !track || index < 0) return "no embedding is recorded yet";
    const points = project(track.point(index), featuresOf(0), planeOf(track, featuresOf(0)));
    const places = Array.from(
      { length: Math.min(12, points.length / 2) },
      (_, i) => `${label(0, i, points.length / 2)} at ${figures(points[i * 2] as number)}, ${figures(points[i * 2 + 1] as number)}`,
    );
    return `${NAMES[address()] ?? address()} of seed ${run.key.seed} at step ${figures(moment.value)}: ${places.join("; ")}`;
  };
  return (
    <Plot
      name="embedding"
      title="Embeddings, moving"
      height={HEIGHT}
      draw={draw}
      describe={describe}
      onPoint={(x, y) => together.value && hover(under(x, y)?.key ?? null)}
      onLeave={() => hover(null)}
      onPick={(x, y) => {
        const run = together.value ? under(x, y) : undefined;
        if (!run) return;
        follow(run.key.seed);
        together.value = false;
      }}
      tools={
        <span class="tools">
          {matrices().length > 1 && (
            <select aria-label="Which embeddings" value={address()} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {matrices().map((name) => (
                <option value={name}>{NAMES[name] ?? name}</option>
              ))}
            </select>
          )}
          <button type="button" class="quiet" aria-pressed={together.value} onClick={() => (together.value = !together.value)}>
            {together.value ? "one seed" : "all seeds"}
          </button>
        </span>
      }
    />
  );
}
