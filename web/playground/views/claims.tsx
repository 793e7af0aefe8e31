// Claims: what the study says, what you say, and what the judge makes of it while seeds come in.
import { useState } from "preact/hooks";
import { cellColor, type Palette } from "../draw/palette.ts";
import { drawAxes, figures, toX, type Scale } from "../draw/axes.ts";
import type { Surface } from "../draw/surface.ts";
import { toNumber, type Verdict } from "../engine/engine.ts";
import { cells, judgement, pulse, recordings, schema, study } from "../state/lab.ts";
import { sentence, STATISTICS } from "../state/sentence.ts";
import { state } from "../state/state.ts";
import { YOURS, type Claim } from "../state/toml.ts";
import { Plot } from "./plot.tsx";
import { shortText } from "./words.ts";

const ROW = 58;
const AXIS = 34;

const WORDS = { supported: "supported", refuted: "refuted", inconclusive: "undecided" } as const;
const SIGNS = { supported: "✓", refuted: "✗", inconclusive: "…" } as const;

/** The interval that decides: where seeds are added look by look, the one that holds at every look. */
function decidingInterval({ rests_on, low, high, anytime_low, anytime_high }: Verdict): [number, number] {
  const anytime = rests_on !== "ordinary" && anytime_low !== null && anytime_high !== null;
  return [toNumber(anytime ? anytime_low : low), toNumber(anytime ? anytime_high : high)];
}

/** Room for the interval and the region of a claim, with ends that do not run away. */
function scaleOf(verdict: Verdict): Scale {
  const ends = [...verdict.region.map(toNumber), ...decidingInterval(verdict), toNumber(verdict.estimate)].filter(Number.isFinite);
  const from = Math.min(...ends);
  const to = Math.max(...ends);
  const room = (to - from || Math.abs(to) || 1) * 0.15;
  return { low: from - room, high: to + room, log: false };
}

function draw(surface: Surface, colors: Palette): void {
  const verdicts = judgement.value?.verdicts ?? [];
  verdicts.forEach((verdict, i) => {
    const frame = { left: 8, top: i * (ROW + AXIS) + 22, width: surface.width - 16, height: ROW - 24 };
    const scale = scaleOf(verdict);
    const at = (value: number): number => Math.min(frame.left + frame.width, Math.max(frame.left, toX(frame, scale, value)));
    const [from, to] = verdict.region.map(toNumber) as [number, number];
    drawAxes(surface, colors, frame, { scale, title: "" }, { scale: { low: 0, high: 0, log: false }, title: "" });
    surface.rect(at(from), frame.top - 6, Math.max(1, at(to) - at(from)), frame.height + 6, colors.cells[2] ?? colors.accent, 0.22);
    surface.text("region", (at(from) + at(to)) / 2, frame.top - 13, { color: colors.soft, align: "middle", size: 10 });
    const middle = frame.top + frame.height / 2 - 2;
    const [low, high] = decidingInterval(verdict);
    if (Number.isNaN(low) || Number.isNaN(high)) {
      surface.text("no interval yet", frame.left, middle, { color: colors.soft });
      return;
    }
    surface.line([at(low), middle, at(high), middle], { color: colors.ink, width: 2.5 });
    for (const end of [low, high]) surface.line([at(end), middle - 5, at(end), middle + 5], { color: colors.ink, width: 2 });
    surface.circle(at(toNumber(verdict.estimate)), middle, 5, cellColor(colors, 0), 1, colors.ground);
  });
}

export const quantityNames = (): { name: string; yes: boolean; help: string }[] =>
  (study.value?.phenomena ?? []).flatMap(({ name, quantities }) =>
    quantities.map((one) => ({
      name: one.name.startsWith(`${name}.`) ? one.name : `${name}.${one.name}`,
      yes: one.yes_or_no,
      help: one.help,
    })),
  );

// What is being typed stays there until it is entered, however often the views are drawn meanwhile.
function RegionEnd({ label, value, take }: { label: string; value: number; take: (value: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      aria-label={label}
      type="number"
      step="any"
      value={typed ?? value}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        setTyped(null);
        take(event.currentTarget.valueAsNumber || 0);
      }}
    />
  );
}

function Sentence() {
  const names = quantityNames();
  const claim = state.value.claim;
  const change = (part: Partial<Claim>): void => {
    // From the state, not from what was drawn: two changes may come before the next drawing.
    const next = { ...(state.value.claim as Claim), ...part };
    if (part.quantity) next.statistic = names.find(({ name }) => name === part.quantity)?.yes ? "rate" : "median";
    state.value = { ...state.value, claim: { ...next, statement: sentence(next) } };
  };
  if (!claim) {
    const first = names.find(({ yes }) => yes) ?? names[0];
    return (
      <button
        type="button"
        class="start"
        disabled={!first}
        onClick={() => {
          const made: Claim = { quantity: first?.name ?? "", statistic: first?.yes ? "rate" : "median", low: 0.5, high: 1, statement: "" };
          state.value = { ...state.value, claim: { ...made, statement: sentence(made) } };
        }}
      >
        Make a claim of your own
      </button>
    );
  }
  const statistics = (schema.value?.statistics ?? ["median", "rate"]).filter((name) => name in STATISTICS);
  const compared = cells.value.length > 1;
  const whereIndex = cells.value.findIndex(
    (cell) => claim.where && Object.entries(claim.where).every(([key, value]) => String(cell.overrides[key]) === value),
  );
  return (
    <p class="sentence">
      I claim: the{" "}
      <select aria-label="Statistic" value={claim.statistic} onChange={(event) => change({ statistic: event.currentTarget.value })}>
        {statistics.map((name) => (
          <option value={name}>{STATISTICS[name]}</option>
        ))}
      </select>{" "}
      <select aria-label="Quantity" value={claim.quantity} onChange={(event) => change({ quantity: event.currentTarget.value })}>
        {!names.some(({ name }) => name === claim.quantity) && <option value={claim.quantity}>{claim.quantity}</option>}
        {names.map(({ name, help }) => (
          <option value={name} title={help}>
            {name}
          </option>
        ))}
      </select>{" "}
      {compared && (
        <>
          {" where "}
          <select
            aria-label="Where"
            value={String(whereIndex)}
            onChange={(event) => {
              const cell = cells.value[Number(event.currentTarget.value)];
              const next = { ...(state.value.claim as Claim) };
              delete next.where;
              if (cell) next.where = Object.fromEntries(Object.entries(cell.overrides).map(([key, value]) => [key, String(value)]));
              state.value = { ...state.value, claim: { ...next, statement: sentence(next) } };
            }}
          >
            <option value="-1">both</option>
            {cells.value.map((cell, index) => (
              <option value={String(index)}>{shortText(cell)}</option>
            ))}
          </select>
        </>
      )}
      {" lies between "}
      <RegionEnd label="Lower end of the region" value={claim.low} take={(low) => change({ low })} />
      {" and "}
      <RegionEnd label="Upper end of the region" value={claim.high} take={(high) => change({ high })} />
      .{" "}
      <button type="button" class="quiet" onClick={() => (state.value = { ...state.value, claim: null })}>
        take it back
      </button>
    </p>
  );
}

export function Claims() {
  void pulse.value;
  const verdicts = judgement.value?.verdicts ?? [];
  const claims = study.value?.claims ?? [];
  const describe = (): string =>
    verdicts
      .map(
        (one) =>
          `${one.statement}: ${WORDS[one.verdict]}, ${figures(toNumber(one.estimate))} [${decidingInterval(one).map(figures).join(", ")}]`,
      )
      .join(". ") || "not judged yet";
  return (
    <section class="claims" aria-label="Claims">
      <h2>Is it so?</h2>
      <div class="claim-grid">
        <ol class="verdicts">
          {claims.map((claim, index) => {
            const verdict = verdicts[index];
            return (
              <li key={claim.id} style={{ height: `${ROW + AXIS}px` }}>
                <p class="statement">{claim.id === YOURS ? <em>{claim.statement}</em> : claim.statement}</p>
                <p class="verdict">
                  {verdict ? (
                    <>
                      <strong class={recordings.value.ended ? `is-${verdict.verdict}` : "is-interim"}>
                        {recordings.value.ended ? <span aria-hidden="true">{SIGNS[verdict.verdict]} </span> : "if it ended now: "}
                        {WORDS[verdict.verdict]}
                      </strong>{" "}
                      {figures(toNumber(verdict.estimate))} [{decidingInterval(verdict).map(figures).join(", ")}],{" "}
                      {verdict.seeds} seeds
                      {verdict.censored ? `, ${verdict.censored} censored` : ""}
                    </>
                  ) : (
                    "waiting for seeds"
                  )}
                </p>
              </li>
            );
          })}
        </ol>
        {claims.length > 0 && (
          <Plot
            name="claims"
            title="95 % intervals against the regions"
            height={Math.max(1, claims.length) * (ROW + AXIS)}
            draw={draw}
            describe={describe}
          />
        )}
      </div>
      <div class="answer" aria-live="polite">
        {recordings.value.ended && judgement.value?.complete ? judgement.value.answers.map((text) => <p>{text}</p>) : null}
      </div>
      <Sentence />
    </section>
  );
}
