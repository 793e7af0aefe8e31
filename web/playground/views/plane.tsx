// The phase diagram: the share of seeds that show something, over two settings, cell by cell as it is trained.
import { figures } from "../draw/axes.ts";
import { heat, inkOnHeat, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import { cells as studyCells, schema, study } from "../state/lab.ts";
import {
  isPainting,
  isPlaneStale,
  paint,
  painted,
  painting,
  showCell,
  shownCell,
  stopPainting,
  undecided,
  type PaintedCell,
  type Painting,
} from "../state/painter.ts";
import { parseAxis, planeOf, state, type Plane } from "../state/state.ts";
import { Plot } from "./plot.tsx";

const HEIGHT = 440;

function layout(now: Painting, width: number) {
  const left = 66;
  const top = 28;
  const bottom = 52;
  const w = Math.min(120, (width - left - 12) / now.xs.length);
  const h = Math.min(96, (HEIGHT - top - bottom) / now.ys.length);
  const corner = (cell: PaintedCell): [number, number] => [left + cell.x * w, top + (now.ys.length - 1 - cell.y) * h];
  return { left, top, w, h, corner };
}

function hatch(surface: Surface, x: number, y: number, w: number, h: number, color: string): void {
  surface.clip(x, y, w, h, () => {
    for (let offset = -h; offset < w; offset += 7) surface.line([x + offset, y + h, x + offset + h, y], { color, width: 1.2, alpha: 0.4 });
  });
}

function draw(surface: Surface, colors: Palette): void {
  const now = painting.value;
  size = surface.width;
  if (!now) {
    surface.text("Nothing is painted yet.", surface.width / 2, HEIGHT / 2, { color: colors.soft, align: "middle", size: 14 });
    return;
  }
  const { left, top, w, h, corner } = layout(now, surface.width);
  for (const cell of now.cells) {
    const [x, y] = corner(cell);
    const share = cell.runs ? cell.yes / cell.runs : NaN;
    surface.rect(x, y, w - 2, h - 2, cell.runs ? heat(share) : colors.grid);
    const ink = cell.runs ? inkOnHeat(share) : colors.soft;
    if (cell.runs && !cell.decided) hatch(surface, x, y, w - 2, h - 2, ink);
    if (cell.runs) {
      const behind = { halo: heat(share) };
      surface.text(figures(Math.round(share * 100) / 100), x + w / 2 - 1, y + h / 2 - 8, {
        color: ink,
        align: "middle",
        size: 14,
        weight: 600,
        ...behind,
      });
      surface.text(`${cell.yes} of ${cell.runs}`, x + w / 2 - 1, y + h / 2 + 9, { color: ink, align: "middle", size: 10, ...behind });
    }
    if (cell.busy)
      surface.line([x + 1, y + 1, x + w - 3, y + 1, x + w - 3, y + h - 3, x + 1, y + h - 3, x + 1, y + 1], { color: colors.ink, width: 3 });
  }
  const below = top + now.ys.length * h;
  now.xs.forEach((value, i) => surface.text(value, left + (i + 0.5) * w, below + 10, { color: colors.ink, align: "middle" }));
  now.ys.forEach((value, i) => surface.text(value, left - 8, top + (now.ys.length - 1 - i + 0.5) * h, { color: colors.ink, align: "end" }));
  surface.text(now.xKey, left + (now.xs.length * w) / 2, below + 30, { color: colors.ink, align: "middle", weight: 600 });
  surface.text(now.yKey, 0, top - 14, { color: colors.ink, weight: 600 });
}

let size = 600;

function Axis({ name, text, onChange }: { name: string; text: string; onChange: (text: string) => void }) {
  const axis = parseAxis(text) ?? { key: "", values: [] };
  const keys = (schema.value?.keys ?? []).filter(
    ({ key, type }) => (studyCells.value[0]?.applies ?? []).includes(key) && (type === "int" || type === "float" || type === "str"),
  );
  const listed = keys.some(({ key }) => key === axis.key) || !axis.key;
  return (
    <fieldset class="axis">
      <legend>{name}</legend>
      <label>
        setting
        <select value={axis.key} onChange={(event) => onChange(`${event.currentTarget.value}: ${suggest(event.currentTarget.value)}`)}>
          {!listed && <option value={axis.key}>{axis.key}</option>}
          {keys.map(({ key }) => (
            <option value={key}>{key}</option>
          ))}
        </select>
      </label>
      <label>
        values
        <input type="text" value={axis.values.join(", ")} onChange={(event) => onChange(`${axis.key}: ${event.currentTarget.value}`)} />
      </label>
    </fieldset>
  );
}

/** Values around the present one: words as they are, numbers by factors of two. */
function suggest(key: string): string {
  const about = schema.value?.keys.find((one) => one.key === key);
  if (about?.choices.length) return about.choices.slice(0, 4).join(", ");
  const now = Number(studyCells.value[0]?.config[key] ?? 1) || 1;
  const values = [now / 2, now, now * 2, now * 4].map((value) =>
    about?.type === "int" ? Math.max(1, Math.round(value)) : Number(value.toPrecision(3)),
  );
  return [...new Set(values)].filter((value) => value >= (about?.low ?? -Infinity) && value <= (about?.high ?? Infinity)).join(", ");
}

export function PlaneView() {
  const plane = planeOf(state.value);
  const set = (change: Partial<Plane>): void => {
    stopPainting();
    state.value = { ...state.value, plane: { ...plane, ...change } };
  };
  void painted.value;
  const quantities = (study.value?.phenomena ?? []).flatMap(({ name, quantities: list }) =>
    list.filter(({ yes_or_no }) => yes_or_no).map((one) => (one.name.startsWith(`${name}.`) ? one.name : `${name}.${one.name}`)),
  );
  const now = painting.value;
  const stale = !now || isPlaneStale();
  const describe = (): string =>
    now
      ? now.cells
          .map(
            (cell) =>
              `${now.xKey} ${now.xs[cell.x]}, ${now.yKey} ${now.ys[cell.y]}: ${cell.yes} of ${cell.runs}${cell.decided ? "" : ", undecided"}`,
          )
          .join("; ")
      : "nothing is painted yet";
  const pick = (x: number, y: number): void => {
    if (!now) return;
    const { w, h, corner } = layout(now, size);
    const index = now.cells.findIndex((cell) => {
      const [left, top] = corner(cell);
      return x >= left && x < left + w && y >= top && y < top + h;
    });
    open(index);
  };
  const open = (index: number): void => {
    const cell = now?.cells[index];
    if (!cell?.runs) return;
    showCell(index);
  };
  return (
    <section class="plane" aria-label="Phase diagram">
      <div class="plane-form">
        <Axis name="Across" text={plane.x} onChange={(x) => set({ x })} />
        <Axis name="Up" text={plane.y} onChange={(y) => set({ y })} />
        <fieldset class="axis">
          <legend>Paint the share of seeds with</legend>
          <label>
            what
            <select value={plane.quantity} onChange={(event) => set({ quantity: event.currentTarget.value })}>
              {!quantities.includes(plane.quantity) && <option value={plane.quantity}>{plane.quantity}</option>}
              {quantities.map((name) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          </label>
          <button type="button" class="primary" onClick={() => (isPainting.value ? stopPainting() : void paint())}>
            {isPainting.value ? "Stop" : stale ? "Paint" : undecided.value ? "Go on" : "Painted"}
          </button>
        </fieldset>
      </div>
      <Plot
        name="phase-diagram"
        title="Phase diagram"
        height={HEIGHT}
        draw={draw}
        describe={describe}
        onPick={pick}
        tools={
          <span class="hint">
            {now
              ? `hatched: not yet decided whether above or below one half (${undecided.value} left) · click a cell for its runs`
              : "new seeds go where they tell most about the border"}
          </span>
        }
      />
      {now && (
        <label class="cell-pick">
          Show the runs of
          <select onChange={(event) => open(Number(event.currentTarget.value))}>
            <option value="" disabled selected={shownCell.value === null}>
              a cell
            </option>
            {now.cells.map((cell, index) => (
              <option value={String(index)} disabled={!cell.runs} selected={shownCell.value === index}>
                {now.xKey} {now.xs[cell.x]}, {now.yKey} {now.ys[cell.y]} ({cell.yes} of {cell.runs})
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}
