// The bytes in which an engine says what is new (src/live/frame.h).
import type { Block, Frame } from "./engine.ts";

const MAGIC = 0x31465441; // "ATF1"

export function decodeFrame(bytes: Uint8Array): Frame {
  // Numbers are viewed in place, so they must begin at a multiple of their size.
  const data = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  const u32 = (): number => {
    const value = view.getUint32(at, true);
    at += 4;
    return value;
  };
  if (data.byteLength < 12 || u32() !== MAGIC) throw new Error("these bytes are no frame");
  const count = u32();
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) {
    const run = u32();
    const series = u32();
    const points = u32();
    const width = u32();
    const numbers = points * width;
    const values = at + points * 8;
    if (values + numbers * 4 > data.byteLength) throw new Error("the frame ends early");
    blocks.push({
      run,
      series,
      width,
      steps: new Float64Array(data.buffer, data.byteOffset + at, points),
      values: new Float32Array(data.buffer, data.byteOffset + values, numbers),
    });
    at = values + Math.ceil(numbers / 2) * 8;
  }
  const length = u32();
  if (at + length > data.byteLength) throw new Error("the frame ends early");
  const text = new TextDecoder().decode(data.subarray(at, at + length));
  return { blocks, ...(JSON.parse(text) as Omit<Frame, "blocks">) };
}
