// Turns a spec into a picture: in the page, or in memory for files.
import embed, { type Config, type Result, vega, vegaLite } from "vega-embed";
import { expressionInterpreter } from "vega-interpreter";
import type { Config as VegaLiteConfig, TopLevelSpec } from "vega-lite";
import type { Theme } from "../shared/theme.ts";
import { readCsv } from "./csv.ts";
import looks from "./look.json";
import type { Spec } from "./spec.ts";

const SVG_LIMIT = 3000; // marks; above it the browser is slow with one element for each, and a canvas takes over
const NARROW = 440; // pixels; below it a legend beside a plot would take the plot's room
const BESIDE = 70; // pixels of an axis, to the right of which a legend below a plot begins
const SYMBOL = 24; // pixels of a legend's symbol and its margins

export type Drawn = Result;
export type DrawnView = Result["view"];

export interface Room {
  available: number; // pixels
  legendColumns: number; // of a legend below a plot
}

// The page's policy forbids code made from text: expressions of a spec are interpreted, and its data is read by us, since Vega's own
// reader of CSV makes a function for each table. Vega's types leave out that formats can be added.
(vega as unknown as { formats(name: string, read: typeof readCsv): void }).formats("csv", readCsv);

// Types of JSON widen words to strings, so the compiler cannot see that these are specs and configurations.
const lookOf = (theme: Theme) => looks[theme] as Config;
const vegaLiteSpec = (spec: Spec) => spec as unknown as TopLevelSpec;

/** Vega warns of a scale without data. A reader who hides all that is there has asked for that. */
function logger() {
  const made = vega.logger(vega.Warn);
  const { warn } = made;
  made.warn = (...words: readonly unknown[]) => (String(words[0]).startsWith("Infinite extent") ? made : warn.apply(made, [...words]));
  return made;
}

export const isNarrow = (available: number): boolean => available < NARROW;

function configFor(theme: Theme, { available, legendColumns }: Room): Config {
  const config = lookOf(theme);
  if (!isNarrow(available)) return config;
  const labelLimit = (available - BESIDE) / legendColumns - SYMBOL;
  return { ...config, legend: { ...config.legend, orient: "bottom", columns: legendColumns, labelLimit } } as Config;
}

/** Draws into an element of the page `room.available` pixels wide; `bindings` is where Vega puts the inputs of a spec. */
export function drawInto(element: HTMLElement, spec: Spec, theme: Theme, room: Room, bindings: HTMLElement): Promise<Drawn> {
  return embed(element, vegaLiteSpec(spec), {
    mode: "vega-lite",
    config: configFor(theme, room),
    renderer: (spec.usermeta?.atto?.marks ?? 0) > SVG_LIMIT ? "canvas" : "svg",
    bind: bindings,
    logger: logger(),
    actions: false, // the page has its own, with names of its own
    defaultStyle: false, // report.css has the style of all of these
    tooltip: { disableDefaultStyle: true },
    ast: true,
    expr: expressionInterpreter,
  });
}

/** A view outside the page. Nothing in it waits for timers or loads, which render_job.ts relies on. */
export async function drawInMemory(spec: Spec, theme: Theme): Promise<DrawnView> {
  const compiled = vegaLite.compile(vegaLiteSpec(spec), { config: lookOf(theme) as VegaLiteConfig, logger: logger() });
  const parsed = vega.parse(compiled.spec, undefined, { ast: true });
  return new vega.View(parsed, { renderer: "none", logger: logger(), expr: expressionInterpreter }).runAsync();
}

export const specWithLook = (spec: Spec, theme: Theme): Spec => ({ ...spec, config: looks[theme] });
