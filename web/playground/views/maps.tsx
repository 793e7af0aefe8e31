// Attention maps of one seed: which keys (columns) each query (row) looks at, on a few sequences of the task.
import { figures } from "../draw/axes.ts";
import { cellColor, heat, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import type { Cell } from "../engine/engine.ts";
import { shownRun } from "../state/attention.ts";
import { cells, configOf, shownCells } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { moment } from "../state/time.ts";
import { Plot } from "./plot.tsx";
import { shortText } from "./words.ts";

const HEIGHT = 240;
const PATTERN = /^layer\.(\d+)\.attention\.pattern$/;

interface Map {
  run: RunRecord;
  address: string;
  shape: number[];
  sequence: number;
}

const patterns = (cell: number): { address: string; shape: number[] }[] =>
  (cells.value[cell]?.series ?? []).filter(({ address, shape }) => PATTERN.test(address) && shape.length >= 3);

/** As many maps as there is room for: every setting and layer, and several sequences where those are few. */
function maps(): Map[] {
  const found = shownCells.value.flatMap((_, cell) => {
    const run = shownRun(cell);
    return run ? patterns(cell).map((one) => ({ run, ...one })) : [];
  });
  // Long contexts need larger maps, and get fewer.
  const most = Math.max(0, ...found.map(({ shape }) => shape.at(-1) ?? 0)) > 8 ? 2 : 4;
  const each = Math.max(1, Math.floor(most / Math.max(1, found.length)));
  return found.flatMap((one) => Array.from({ length: Math.min(each, one.shape[0] ?? 1) }, (_, sequence) => ({ ...one, sequence })));
}

function tokensOf(run: RunRecord, sequence: number, count: number): string[] {
  const track = run.tracks.get("probe.tokens");
  const index = track?.at(moment.value) ?? -1;
  if (!track || index < 0) return [];
  const vocab = Number(configOf(run.key.cell)["data.vocab"]);
  const bos = configOf(run.key.cell)["data.bos"] === true;
  return Array.from({ length: count }, (_, i) => {
    const token = track.point(index)[sequence * count + i] ?? NaN;
    return bos && token === vocab ? "B" : String(token);
  });
}

function drawMap(surface: Surface, colors: Palette, map: Map, left: number, top: number, side: number): void {
  const track = map.run.tracks.get(map.address);
  const index = track?.at(moment.value) ?? -1;
  const [, queries = 1, keys = 1] = map.shape.slice(-3);
  if (!track || index < 0) return;
  const values = track.point(index);
  const step = side / keys;
  const offset = map.sequence * queries * keys;
  for (let q = 0; q < queries; q++)
    for (let k = 0; k < keys; k++) {
      const weight = values[offset + q * keys + k] ?? 0;
      const hidden = queries === keys && k > q && weight === 0;
      if (!hidden) surface.rect(left + k * step, top + q * step, step - 1, step - 1, heat(weight));
    }
  const tokens = tokensOf(map.run, map.sequence, keys);
  const size = Math.max(8, Math.min(11, step * 0.55));
  // Names of columns that would touch are left out: the rows have the same.
  const wide = queries === keys && Math.max(...tokens.map((token) => token.length)) * size * 0.62 > step;
  tokens.forEach((token, k) => {
    if (step < 9 && token !== "B") return;
    if (!wide || token === "B") surface.text(token, left + (k + 0.5) * step, top - 8, { color: colors.soft, align: "middle", size });
    if (queries === keys) surface.text(token, left - 5, top + (k + 0.5) * step, { color: colors.soft, align: "end", size });
  });
}

function draw(surface: Surface, colors: Palette): void {
  const all = maps();
  // As many columns as make the maps largest.
  const roomOf = (columns: number): [number, number] => [surface.width / columns, (HEIGHT - 24) / Math.ceil(all.length / columns)];
  const sideOf = (columns: number): number => Math.max(20, Math.min(roomOf(columns)[0] - 40, roomOf(columns)[1] - 36));
  let columns = 1;
  for (let more = 2; more <= all.length; more++) if (sideOf(more) > sideOf(columns)) columns = more;
  const room = roomOf(columns);
  const side = sideOf(columns);
  all.forEach((map, i) => {
    const left = (i % columns) * room[0] + Math.max(24, (room[0] - side) / 2);
    const top = Math.floor(i / columns) * room[1] + 32 + Math.max(0, (room[1] - side - 36) / 2);
    const layers = patterns(map.run.key.cell).length > 1;
    const many = cells.value.length > 1;
    const first = map.sequence === 0;
    const words = [
      many && first ? shortText(cells.value[map.run.key.cell] as Cell) : "",
      layers ? `layer ${PATTERN.exec(map.address)?.[1]}` : "",
    ]
      .filter(Boolean)
      .join(" · ");
    if (words) surface.text(words, left, top - 24, { color: many ? cellColor(colors, map.run.key.cell) : colors.soft });
    drawMap(surface, colors, map, left, top, side);
  });
  // The key of the colours.
  const bar = 120;
  const from = surface.width - bar - 26;
  for (let i = 0; i < bar; i++) surface.rect(from + i, HEIGHT - 12, 1.2, 7, heat(i / (bar - 1)));
  surface.text("0", from - 5, HEIGHT - 8, { color: colors.soft, align: "end", size: 10 });
  surface.text("1", from + bar + 5, HEIGHT - 8, { color: colors.soft, size: 10 });
  surface.text(from > 220 ? "weight · rows: query · columns: key" : "row: query", 0, HEIGHT - 8, { color: colors.soft, size: 10 });
}

export function Maps() {
  if (!cells.value.some((_, cell) => patterns(cell).length)) return null;
  const describe = (): string => {
    const [map] = maps();
    const track = map?.run.tracks.get(map.address);
    const index = track?.at(moment.value) ?? -1;
    if (!map || !track || index < 0) return "no attention is recorded yet";
    const [, queries = 1, keys = 1] = map.shape.slice(-3);
    const last = Array.from({ length: keys }, (_, k) => figures(track.point(index)[(queries - 1) * keys + k] ?? NaN));
    return `Attention of seed ${map.run.key.seed} at step ${figures(moment.value)}. Weights of the last query: ${last.join(", ")}.`;
  };
  return (
    <Plot
      name="attention"
      title="Attention"
      height={HEIGHT}
      draw={draw}
      describe={describe}
      tools={<span class="hint">seed {shownRun(0)?.key.seed ?? ""}</span>}
    />
  );
}
