// An animated figure as a GIF: one palette for all frames, and of each frame only the pixels that changed.
import { GIFEncoder, applyPalette, quantize } from "gifenc";
import { type DrawnView, drawInMemory } from "./draw.ts";
import type { Bytes, Order } from "./files.ts";
import { fit } from "./fit.ts";
import { framesOf, withValues } from "./params.ts";
import type { Spec } from "./spec.ts";

const WIDTH = { least: 480, most: 640 }; // pixels: letters stay legible, and files small
const DELAY = 80; // ms a frame
const HOLD = 1000; // ms the last frame stays
const COLOURS = 255; // the last of a GIF's 256 says "as before"
const AS_BEFORE = 255;

/** Pixels of the frame, and what can be seen of its size. */
async function pixelsAt(view: DrawnView, param: string, frame: number, scale: number) {
  await view.signal(param, frame).runAsync();
  const canvas = await view.toCanvas(scale);
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws on no canvas");
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/** Colours from the first, middle and last frame, so that the ones only an end has are there too. */
async function paletteOf(pixels: (frame: number) => Promise<{ data: Uint8ClampedArray }>, count: number) {
  const samples: Uint8ClampedArray[] = [];
  for (const frame of new Set([0, count >> 1, count - 1])) samples.push((await pixels(frame)).data);
  const all = new Uint8ClampedArray(samples.reduce((sum, { length }) => sum + length, 0));
  samples.reduce((start, data) => (all.set(data, start), start + data.length), 0);
  const palette = quantize(all, COLOURS);
  while (palette.length <= AS_BEFORE) palette.push([0, 0, 0]);
  return palette;
}

export async function gif({ spec, values, theme, onFrame }: Order): Promise<Bytes> {
  const frames = framesOf(spec);
  if (!frames) throw new Error("a GIF needs a figure with frames");
  const count = frames.steps.length;
  const view = await drawInMemory(withValues(fit(spec, Math.min(WIDTH.most, naturalWidth(spec))), values), theme);
  const width = (await view.toCanvas(1)).width;
  // Both widths are rounded: a little more, lest it end one pixel below.
  const scale = Math.min(Math.max(1, (WIDTH.least + 2) / width), WIDTH.most / width);
  const pixels = (frame: number) => pixelsAt(view, frames.param, frame, scale);

  const palette = await paletteOf(pixels, count);
  const encoder = GIFEncoder();
  let before: Uint8Array | undefined;
  for (let frame = 0; frame < count; ++frame) {
    const { width, height, data } = await pixels(frame);
    const indices = applyPalette(data, palette.slice(0, COLOURS));
    const last = before;
    const changed = last ? indices.map((index, at) => (index === last[at] ? AS_BEFORE : index)) : indices;
    encoder.writeFrame(changed, width, height, {
      palette: before ? null : palette,
      delay: frame === count - 1 ? HOLD : DELAY,
      transparent: Boolean(before),
      transparentIndex: AS_BEFORE,
      dispose: 1, // what is there stays under the next frame
    });
    before = indices;
    await onFrame?.(frame + 1, count);
  }
  encoder.finish();
  return encoder.bytes();
}

function naturalWidth(spec: Spec): number {
  const { columns = 1, width = WIDTH.most, extra = 0 } = spec.usermeta?.atto ?? {};
  return columns * (width + extra);
}
