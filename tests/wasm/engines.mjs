// What tests of the engine share: the builds for the browser, the native one, and frames put together.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const page = process.env.ATTO_PAGE ?? path.join(root, "build/page");
if (!existsSync(path.join(page, "engine.wasm"))) {
  console.log("there is no engine for the browser to test: make page builds it");
  process.exit(process.env.ATTO_REQUIRE_PAGE ? 1 : 77);
}
const { instantiate, supportsRelaxed } = await import(path.join(page, "engine.mjs"));

// Node 20 knows the relaxed instructions when asked to; older ones do not.
if (!supportsRelaxed()) v8.setFlagsFromString("--experimental-wasm-relaxed-simd");
export const relaxedWorks = supportsRelaxed();

export const { compileEngine, engineStream } = await import(path.join(page, "unpack.mjs"));
export const bytesOf = (name) => readFileSync(path.join(page, name));
export const plain = () => instantiate(bytesOf("engine.wasm"));
export const relaxed = () => instantiate(bytesOf("engine-relaxed.wasm"));

// The answers of the native engine to these requests.
export function native(requests) {
  const input = requests.map((one) => JSON.stringify(one)).join("\n") + "\n";
  const result = spawnSync(process.env.ATTO_NATIVE_ENGINE ?? path.join(root, "build/tests/native_engine"), {
    input,
    maxBuffer: 1 << 30,
  });
  if (result.status !== 0) throw new Error(`the native engine failed: ${result.stderr}`);
  return String(result.stdout)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

// The blocks and the news of a frame (docs/live.md).
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = [];
  let at = 8;
  for (let left = view.getUint32(4, true); left > 0; --left) {
    const [run, series, points, width] = [0, 4, 8, 12].map((offset) => view.getUint32(at + offset, true));
    at += 16;
    const steps = Array.from({ length: points }, (_, i) => view.getFloat64(at + 8 * i, true));
    at += 8 * points;
    const values = Array.from({ length: points * width }, (_, i) => view.getFloat32(at + 4 * i, true));
    at += Math.ceil((4 * points * width) / 8) * 8;
    blocks.push({ run, series, width, steps, values });
  }
  const length = view.getUint32(at, true);
  return { blocks, ...JSON.parse(new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length))) };
}

// All that the frames of a session said, by run.
export function gather(runs, frames) {
  const all = runs.map((key) => ({ ...key, series: [] }));
  for (const frame of frames.map(decode)) {
    for (const { run, series, steps, values } of frame.blocks) {
      const one = (all[run].series[series] ??= { steps: [], values: [] });
      one.steps.push(...steps);
      one.values.push(...values);
    }
    for (const { run, ...news } of frame.runs) Object.assign(all[run], news);
  }
  return all;
}

export function train(engine, request) {
  const { session, runs } = engine.open(request);
  const frames = [];
  do frames.push(engine.advance(session, 50));
  while (!decode(frames.at(-1)).ended);
  engine.close(session);
  return gather(runs, frames);
}

export function trainNatively(request) {
  const [{ runs, frames, error }] = native([{ train: request }]);
  if (error) throw new Error(error.message);
  return gather(
    runs,
    frames.map((frame) => Uint8Array.from(Buffer.from(frame, "hex"))),
  );
}

export const study = (name) => ({ name, text: readFileSync(path.join(root, "studies", `${name}.toml`), "utf8") });
