// The bytes of frames, and what the page keeps of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { decodeFrame } = await load("engine/frame.ts");
const { Recordings, Track, quantile } = await load("state/recordings.ts");
const { project, planeOf, reachOf } = await load("views/project.ts");

/** A frame as src/live/frame.cpp writes it. */
function encode(blocks, end) {
  const json = new TextEncoder().encode(JSON.stringify(end));
  const size = blocks.reduce((sum, { steps, values }) => sum + 16 + steps.length * 8 + Math.ceil(values.length / 2) * 8, 12) + json.length;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const u32 = (value) => {
    view.setUint32(at, value, true);
    at += 4;
  };
  u32(0x31465441);
  u32(blocks.length);
  for (const { run, series, width, steps, values } of blocks) {
    for (const value of [run, series, steps.length, width]) u32(value);
    for (const step of steps) (view.setFloat64(at, step, true), (at += 8));
    const end = at + Math.ceil(values.length / 2) * 8;
    for (const value of values) (view.setFloat32(at, value, true), (at += 4));
    at = end;
  }
  u32(json.length);
  bytes.set(json, at);
  return bytes;
}

const END = { runs: [{ run: 0, step: 20, finished: false, diverged: false }], ended: false, train_ms: 3, steps: 40 };
const BLOCKS = [
  { run: 0, series: 0, width: 1, steps: [0, 10, 20], values: [10, 9, 8.5] },
  { run: 1, series: 1, width: 3, steps: [0], values: [1, 2, 3] },
  { run: 1, series: 0, width: 1, steps: [], values: [] },
];

test("a frame is read as it was written, wherever its bytes begin", () => {
  const bytes = encode(BLOCKS, END);
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  for (const frame of [decodeFrame(bytes), decodeFrame(shifted.subarray(3))]) {
    assert.equal(frame.steps, 40);
    assert.deepEqual(
      frame.blocks.map(({ run, series, width }) => [run, series, width]),
      [
        [0, 0, 1],
        [1, 1, 3],
        [1, 0, 1],
      ],
    );
    assert.deepEqual([...frame.blocks[0].steps], [0, 10, 20]);
    assert.deepEqual([...frame.blocks[1].values], [1, 2, 3]);
  }
});

test("bytes that are no frame are refused", () => {
  const bytes = encode(BLOCKS, END);
  assert.throws(() => decodeFrame(new Uint8Array(4)), /no frame/);
  assert.throws(() => decodeFrame(bytes.with ? bytes.with(0, 0) : Uint8Array.from(bytes, (byte, i) => (i ? byte : 0))), /no frame/);
  for (let length = 12; length < bytes.length; length += 7) assert.throws(() => decodeFrame(bytes.slice(0, length)));
});

const SERIES = [
  [
    { address: "perplexity", shape: [], points: 3 },
    { address: "embedding", shape: [3], points: 1 },
  ],
];
const KEYS = [
  { cell: 0, seed: 1 },
  { cell: 0, seed: 2 },
];

test("recordings grow frame by frame and know what was when", () => {
  const kept = new Recordings(SERIES);
  kept.take(decodeFrame(encode(BLOCKS, END)), KEYS);
  const more = Array.from({ length: 300 }, (_, i) => 30 + 10 * i);
  kept.take(
    decodeFrame(encode([{ run: 0, series: 0, width: 1, steps: more, values: more }], { ...END, runs: [{ ...END.runs[0], step: 3020 }] })),
    KEYS,
  );
  const track = kept.find(0, 1).tracks.get("perplexity");
  assert.equal(track.length, 303);
  assert.equal(track.value(2), 8.5);
  assert.equal(track.at(25), 2);
  assert.equal(track.at(-1), -1);
  assert.equal(track.at(1e9), 302);
  assert.deepEqual([...kept.find(0, 2).tracks.get("embedding").point(0)], [1, 2, 3]);
});

test("the head is where all unfinished runs have come to", () => {
  const kept = new Recordings(SERIES);
  const news = (runs) => kept.take({ blocks: [], runs, ended: false, train_ms: 0, steps: 0 }, KEYS);
  news([
    { run: 0, step: 50, finished: false, diverged: false },
    { run: 1, step: 30, finished: false, diverged: false },
  ]);
  assert.equal(kept.head, 30);
  news([{ run: 1, step: 30, finished: true, diverged: true }]);
  assert.equal(kept.head, 50);
  news([{ run: 0, step: 100, finished: true, diverged: false }]);
  assert.equal(kept.head, 100);
});

test("quantiles lie between the numbers", () => {
  assert.equal(quantile([1, 2, 3], 0.5), 2);
  assert.equal(quantile([1, 2], 0.5), 1.5);
  assert.equal(quantile([7], 0.9), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test("a picture reaches as far as its points do when they are seen along other axes than their own", () => {
  const track = new Track(6);
  track.append(Float64Array.of(0), Float32Array.of(1, 1, 1, -1, -1, -1)); // two points, each at a distance of the root of three
  const drawn = Math.max(...project(track.point(0), 3, planeOf(track, 3)).map(Math.abs));
  assert.ok(Math.abs(drawn - Math.sqrt(3)) < 1e-6);
  assert.ok(reachOf(track, 3) > drawn);
  track.append(Float64Array.of(10), Float32Array.of(0.1, 0, 0, -0.1, 0, 0));
  assert.ok(reachOf(track, 3) > drawn, "it never shrinks");
});
