// Turns a spec into a picture: in the page, or in memory for files.
import embed, { vega, vegaLite } from "vega-embed";
import look from "./look.json";

const SVG_LIMIT = 3000; // marks; above it the browser is slow with one element for each, and a canvas takes over
const NARROW = 440; // pixels; below it a legend beside a plot would take the plot's room
const BESIDE = 70; // pixels of an axis, to the right of which a legend below a plot begins
const SYMBOL = 24; // pixels of a legend's symbol and its margins

/** Vega warns of a scale without data. A reader who hides all that is there has asked for that. */
function logger() {
  const made = vega.logger(vega.Warn);
  const { warn } = made;
  made.warn = (...words) => (String(words[0]).startsWith("Infinite extent") ? made : warn.apply(made, words));
  return made;
}

export const isNarrow = (available) => available < NARROW;

function configFor(theme, available, legendColumns) {
  const config = look[theme];
  if (!isNarrow(available)) return config;
  const labelLimit = (available - BESIDE) / legendColumns - SYMBOL;
  return { ...config, legend: { ...config.legend, orient: "bottom", columns: legendColumns, labelLimit } };
}

/** Draws into an element of the page `available` pixels wide. What it gives has `view` and `finalize()`. */
export function drawInto(element, spec, { theme, available, legendColumns, bindings }) {
  return embed(element, spec, {
    mode: "vega-lite",
    config: configFor(theme, available, legendColumns),
    renderer: (spec.usermeta?.atto?.marks ?? 0) > SVG_LIMIT ? "canvas" : "svg",
    bind: bindings,
    logger: logger(),
    actions: false, // the page has its own, with names of its own
    defaultStyle: false, // report.css has the style of all of these
    tooltip: { disableDefaultStyle: true },
  });
}

/** A view outside the page. Nothing in it waits for timers or loads, which render_job.js relies on. */
export async function drawInMemory(spec, theme) {
  const compiled = vegaLite.compile(spec, { config: look[theme], logger: logger() });
  return new vega.View(vega.parse(compiled.spec), { renderer: "none", logger: logger() }).runAsync();
}

export const specWithLook = (spec, theme) => ({ ...spec, config: look[theme] });
