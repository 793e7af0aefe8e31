// Draws a Vega-Lite specification as SVG, with the look of all figures: node bench/draw_spec.mjs figure.vl.json figure.svg
//
// Needs what `make` installs for the page of reports.
import { readFileSync, writeFileSync } from "node:fs";
import * as vega from "../web/node_modules/vega/build/vega.module.js";
import * as vegaLite from "../web/node_modules/vega-lite/build/index.js";

const [from, to] = process.argv.slice(2);
const look = JSON.parse(readFileSync(new URL("../web/report/look.json", import.meta.url), "utf8"));
const { spec } = vegaLite.compile(JSON.parse(readFileSync(from, "utf8")), { config: look.light });
const view = await new vega.View(vega.parse(spec), { renderer: "none" }).runAsync();
writeFileSync(to, `<?xml version="1.0" encoding="utf-8"?>\n${await view.toSVG()}\n`);
