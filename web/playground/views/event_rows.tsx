// Below the curves: one row for each thing detectors look for, one tick or bar for each seed in which they found it.
import { figures, toX } from "../draw/axes.ts";
import { cellColor, type Palette } from "../draw/palette.ts";
import type { Surface } from "../draw/surface.ts";
import type { Cell } from "../engine/engine.ts";
import { follow, hover, hovered } from "../state/attention.ts";
import { cells, pulse, recordings, shownCells, study } from "../state/lab.ts";
import type { RunRecord } from "../state/recordings.ts";
import { state } from "../state/state.ts";
import { isLive, moment } from "../state/time.ts";
import { timeFrame, timeScale } from "./plot_subject.ts";
import { eventKinds, happening, tally, type EventKind } from "./events.ts";
import { drawMark } from "./marks.ts";
import { Plot } from "./plot.tsx";
import { shortText } from "./words.ts";

const ROW = 38;
const WORDS = 16; // above the marks where there is no room next to them: on narrow screens, as in the style sheet (--event-row)
const isNarrow = (): boolean => matchMedia("(max-width: 600px)").matches;
const rowHeight = (): number => ROW + (isNarrow() ? WORDS : 0);

function words(kind: EventKind, runs: RunRecord[]): [string, string] {
  const { happened, open, runs: all } = tally(runs, kind);
  const rest = open === 0 ? "" : kind.to ? `${open} still on it` : `${open} not yet (censored)`;
  return [`${happened} of ${all}`, rest];
}

const rows = (): { kind: EventKind; cell: number }[] => {
  const kinds = eventKinds(study.value?.phenomena ?? []);
  return kinds.flatMap((kind) => shownCells.value.map((_, cell) => ({ kind, cell })));
};

function draw(surface: Surface, colors: Palette): void {
  const frame = timeFrame(surface.width, surface.height, 4, 4);
  const x = timeScale();
  const many = cells.value.length > 1;
  const narrow = isNarrow();
  rows().forEach(({ kind, cell }, index) => {
    const color = many ? cellColor(colors, cell) : colors.accent;
    const over = 4 + index * rowHeight();
    const top = over + (narrow ? WORDS : 0);
    const bottom = top + ROW - 10;
    const runs = recordings.value.of(cell);
    surface.line([frame.left, bottom + 0.5, frame.left + frame.width, bottom + 0.5], { color: colors.grid });
    surface.clip(frame.left - 4, top - 2, frame.width + 8, ROW, () => {
      runs.forEach((run, i) => {
        const event = happening(run, kind);
        if (!event) return;
        const share = runs.length < 2 ? 0.5 : i / (runs.length - 1);
        const y = top + 3 + share * (bottom - top - 8);
        const shown = state.value.follow === run.key.seed || hovered.value?.seed === run.key.seed;
        const ink = shown ? colors.ink : color;
        if (kind.mark === "bar")
          surface.line([toX(frame, x, event.from), y, toX(frame, x, event.to), y], {
            color: ink,
            width: shown ? 3 : 1.2,
            alpha: shown ? 1 : 0.55,
          });
        else drawMark(surface, kind.mark, toX(frame, x, event.from), y, shown ? 4 : 2.3, ink, colors.ground);
      });
    });
    const [count, rest] = words(kind, runs);
    const name = { color: many ? color : colors.ink, weight: 600 };
    if (narrow) {
      surface.text(kind.phenomenon, 0, over + 6, name);
      surface.text([rest, count].filter(Boolean).join(" · "), surface.width, over + 6, { color: colors.soft, align: "end" });
      return;
    }
    const left = frame.left + frame.width + 14;
    surface.text(kind.phenomenon, left, top + 5, name);
    surface.text(count, left + 76, top + 5, { color: colors.ink });
    if (rest) surface.text(rest, left, top + 20, { color: colors.soft });
    else if (many) surface.text(shortText(cells.value[cell] as Cell), left, top + 20, { color });
  });
  const now = Math.round(toX(frame, x, moment.value)) + 0.5;
  surface.line([now, 0, now, surface.height], { color: colors.ink, alpha: isLive.value ? 0.25 : 0.9 });
}

export function EventRows() {
  const list = rows();
  void pulse.value;
  if (!list.length) return null;
  const describe = (): string =>
    list
      .map(
        ({ kind, cell }) =>
          `${kind.phenomenon}${cells.value.length > 1 ? ` (${shortText(cells.value[cell] as Cell)})` : ""}: ${words(kind, recordings.value.of(cell)).filter(Boolean).join(", ")}`,
      )
      .join(". ") || "nothing is looked for";
  const pick = (y: number): RunRecord | null => {
    const index = Math.floor((y - 4) / rowHeight());
    const row = list[index];
    if (!row) return null;
    const runs = recordings.value.of(row.cell);
    const share = (y - 4 - (index + 1) * rowHeight() + ROW - 3) / (ROW - 18);
    return runs[Math.round(Math.min(1, Math.max(0, share)) * (runs.length - 1))] ?? null;
  };
  return (
    <Plot
      name="events"
      title="What detectors find, seed by seed"
      height={`calc(8px + ${list.length} * var(--event-row))`}
      draw={draw}
      describe={describe}
      onPoint={(_, y) => hover(pick(y)?.key ?? null)}
      onLeave={() => hover(null)}
      onPick={(_, y) => {
        const run = pick(y);
        if (run) follow(state.value.follow === run.key.seed ? null : run.key.seed);
      }}
      tools={<span class="hint">{recordings.value.ended ? "" : `as of step ${figures(recordings.value.head)}`}</span>}
    />
  );
}
