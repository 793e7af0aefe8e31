// A figure as a file: SVG, PNG, GIF or its spec. All of them at natural size, for other places than this page.
import { drawInMemory, specWithLook } from "./draw.js";
import { gif } from "./gif.js";
import { withValues } from "./params.js";

const encode = (text) => new TextEncoder().encode(text);

async function svg({ spec, values, theme }) {
  const view = await drawInMemory(withValues(spec, values), theme);
  return encode(`<?xml version="1.0" encoding="utf-8"?>\n${await view.toSVG()}\n`);
}

async function png({ spec, values, theme, scale }) {
  const view = await drawInMemory(withValues(spec, values), theme);
  const canvas = await view.toCanvas(scale);
  const base64 = canvas.toDataURL("image/png").split(",")[1];
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function json({ spec, theme }) {
  return encode(`${JSON.stringify(specWithLook(spec, theme), null, 1)}\n`);
}

const FORMATS = {
  svg: { ending: "svg", type: "image/svg+xml", make: svg },
  png: { ending: "png", type: "image/png", make: png },
  gif: { ending: "gif", type: "image/gif", make: gif },
  json: { ending: "vl.json", type: "application/json", make: json }, // as `atto figure --spec` calls it
};

/** The bytes of a file. `onFrame(done, all)` is awaited after each frame of an animation. */
export function makeFile(format, { spec, values = {}, theme = "light", scale = 2, onFrame }) {
  if (!FORMATS[format]) throw new Error(`no format "${format}"; there are ${Object.keys(FORMATS).join(", ")}`);
  return FORMATS[format].make({ spec, values, theme, scale, onFrame });
}

/** "sticky-plateau/curves" is saved as "sticky-plateau-curves.svg", as by the program. */
function fileName(spec, format) {
  return `${(spec.usermeta?.atto?.name ?? "figure").replace(/[^\w.-]+/g, "-")}.${FORMATS[format].ending}`;
}

export function save(spec, format, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: FORMATS[format].type }));
  link.download = fileName(spec, format);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it after the click
}
