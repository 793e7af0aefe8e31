// Rows of a matrix in the plane: as they are when they have two features, else along the two directions in which they spread most.
// Which directions is a matter of the view: those of the newest measurement, turned to be as near as can be to those drawn before, so
// that a picture does not jump.
import type { Track } from "../state/recordings.ts";

export type Plane = { mean: Float64Array; axes: [Float64Array, Float64Array] };

function times(matrix: Float64Array, vector: Float64Array, size: number): Float64Array {
  const product = new Float64Array(size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) product[i] = (product[i] as number) + (matrix[i * size + j] as number) * (vector[j] as number);
  return product;
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

function normalised(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function leading(matrix: Float64Array, size: number, from: Float64Array, without: Float64Array | null): Float64Array {
  let vector = from;
  for (let i = 0; i < 60; i++) {
    let next = times(matrix, vector, size);
    if (without) {
      const part = dot(next, without);
      next = next.map((value, k) => value - part * (without[k] as number));
    }
    if (dot(next, next) < 1e-24) return vector;
    vector = normalised(next);
  }
  return vector;
}

export function principalPlane(rows: Float32Array, width: number, before: Plane | null): Plane {
  const count = rows.length / width;
  const mean = new Float64Array(width);
  for (let i = 0; i < rows.length; i++) mean[i % width] = (mean[i % width] as number) + (rows[i] as number) / count;
  const covariance = new Float64Array(width * width);
  for (let row = 0; row < count; row++)
    for (let i = 0; i < width; i++)
      for (let j = 0; j < width; j++) {
        const a = (rows[row * width + i] as number) - (mean[i] as number);
        const b = (rows[row * width + j] as number) - (mean[j] as number);
        covariance[i * width + j] = (covariance[i * width + j] as number) + a * b;
      }
  const start = (index: number): Float64Array => normalised(Float64Array.from({ length: width }, (_, i) => (i === index ? 1 : 0.1)));
  const first = leading(covariance, width, before?.axes[0] ?? start(0), null);
  let second = leading(covariance, width, before?.axes[1] ?? start(1), first);
  const along = dot(second, first);
  second = normalised(second.map((value, i) => value - along * (first[i] as number)));
  if (!before) return { mean, axes: [first, second] };
  // The rotation within the plane that brings the axes nearest to those before.
  const a = dot(first, before.axes[0]) + dot(second, before.axes[1]);
  const b = dot(second, before.axes[0]) - dot(first, before.axes[1]);
  const size = Math.hypot(a, b) || 1;
  const turn = (x: number, y: number): Float64Array => first.map((value, i) => value * x + (second[i] as number) * y);
  return { mean, axes: [turn(a / size, b / size), turn(-b / size, a / size)] };
}

/** x0, y0, x1, y1, … of the rows. */
export function project(rows: Float32Array, width: number, plane: Plane | null): Float64Array {
  const count = rows.length / width;
  const points = new Float64Array(count * 2);
  for (let row = 0; row < count; row++) {
    if (!plane) {
      points[row * 2] = rows[row * width] as number;
      points[row * 2 + 1] = width > 1 ? (rows[row * width + 1] as number) : 0;
      continue;
    }
    for (let axis = 0; axis < 2; axis++) {
      let sum = 0;
      for (let i = 0; i < width; i++)
        sum += ((rows[row * width + i] as number) - (plane.mean[i] as number)) * ((plane.axes[axis] as Float64Array)[i] as number);
      points[row * 2 + axis] = sum;
    }
  }
  return points;
}

const planes = new WeakMap<Track, { length: number; plane: Plane }>();

/** The plane of a run's newest measurement. */
export function planeOf(track: Track, width: number): Plane | null {
  if (width <= 2 || track.length === 0) return null;
  const kept = planes.get(track);
  if (kept?.length === track.length) return kept.plane;
  const plane = principalPlane(track.point(track.length - 1), width, kept?.plane ?? null);
  planes.set(track, { length: track.length, plane });
  return plane;
}

const ROUND = [0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000];
const reached = new WeakMap<Track, { length: number; reach: number }>();

/** How far from the origin a run's points have come so far, as they are drawn, rounded up: it grows and never shrinks. */
export function reachOf(track: Track, width: number): number {
  const kept = reached.get(track) ?? { length: 0, reach: 0 };
  let { reach } = kept;
  for (let i = kept.length; i < track.length; i++)
    for (const value of project(track.point(i), width, planeOf(track, width))) if (Math.abs(value) > reach) reach = Math.abs(value);
  reached.set(track, { length: track.length, reach });
  return ROUND.find((round) => round >= reach * 1.08) ?? reach * 1.1;
}
