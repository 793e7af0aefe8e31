// Turns a spec into a picture: in the page, or in memory for files.
import embed, { vega, vegaLite } from "vega-embed";
import look from "./look.json";

const SVG_LIMIT = 3000; // marks; above it the browser is slow with one element for each, and a canvas takes over
const NARROW = 440; // pixels; below it a legend beside a plot would take the plot's room

function configFor(theme, available) {
  const config = look[theme];
  return available < NARROW ? { ...config, legend: { ...config.legend, orient: "bottom", columns: 2 } } : config;
}

/** Draws into an element of the page `available` pixels wide. What it gives has `view` and `finalize()`. */
export function drawInto(element, spec, { theme, available, bindings }) {
  return embed(element, spec, {
    mode: "vega-lite",
    config: configFor(theme, available),
    renderer: (spec.usermeta?.atto?.marks ?? 0) > SVG_LIMIT ? "canvas" : "svg",
    bind: bindings,
    actions: false, // the page has its own, with names of its own
    defaultStyle: false, // report.css has the style of all of these
    tooltip: { disableDefaultStyle: true },
  });
}

/** A view outside the page. Nothing in it waits for timers or loads, which render_job.js relies on. */
export async function drawInMemory(spec, theme) {
  const view = new vega.View(vega.parse(vegaLite.compile(spec, { config: look[theme] }).spec), { renderer: "none" });
  return view.runAsync();
}

export const specWithLook = (spec, theme) => ({ ...spec, config: look[theme] });
