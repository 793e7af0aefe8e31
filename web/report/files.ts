// A figure as a file: SVG, PNG, GIF or its spec. All of them at natural size, for other places than this page.
import { download } from "../shared/download.ts";
import type { Theme } from "../shared/theme.ts";
import { drawInMemory, specWithLook } from "./draw.ts";
import { gif } from "./gif.ts";
import { withValues } from "./params.ts";
import type { Spec, Values } from "./spec.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** What a file is made of. */
export interface Order {
  spec: Spec;
  values: Values;
  theme: Theme;
  scale: number; // pixels of a PNG for each of the figure's
  onFrame?: ((done: number, all: number) => Promise<void>) | undefined; // awaited after each frame of an animation
}

const encode = (text: string): Bytes => new TextEncoder().encode(text);

async function svg({ spec, values, theme }: Order): Promise<Bytes> {
  const view = await drawInMemory(withValues(spec, values), theme);
  return encode(`<?xml version="1.0" encoding="utf-8"?>\n${await view.toSVG()}\n`);
}

async function png({ spec, values, theme, scale }: Order): Promise<Bytes> {
  const view = await drawInMemory(withValues(spec, values), theme);
  const canvas = await view.toCanvas(scale);
  const [, base64 = ""] = canvas.toDataURL("image/png").split(",");
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

async function json({ spec, theme }: Order): Promise<Bytes> {
  return encode(`${JSON.stringify(specWithLook(spec, theme), null, 1)}\n`);
}

const FORMATS = {
  svg: { ending: "svg", type: "image/svg+xml", make: svg },
  png: { ending: "png", type: "image/png", make: png },
  gif: { ending: "gif", type: "image/gif", make: gif },
  json: { ending: "vl.json", type: "application/json", make: json }, // as `atto figure --spec` calls it
};

export type Format = keyof typeof FORMATS;

/** The bytes of a file. */
export async function makeFile(format: Format, order: Partial<Order> & { spec: Spec }): Promise<Bytes> {
  // A job of the command line may name anything.
  if (!FORMATS[format]) throw new Error(`no format "${format}"; there are ${Object.keys(FORMATS).join(", ")}`);
  return FORMATS[format].make({ values: {}, theme: "light", scale: 2, ...order });
}

/** "sticky-plateau/curves" is saved as "sticky-plateau-curves.svg", as by the program. */
function fileName(spec: Spec, format: Format): string {
  return `${(spec.usermeta?.atto?.name ?? "figure").replace(/[^\w.-]+/g, "-")}.${FORMATS[format].ending}`;
}

export function save(spec: Spec, format: Format, bytes: Bytes): void {
  download(fileName(spec, format), FORMATS[format].type, bytes);
}
