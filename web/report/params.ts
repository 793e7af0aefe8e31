// The parameters of a figure that a reader sets: inputs such as "every seed", and the frame of an animation.
import type { Frames, Spec, Values } from "./spec.ts";

export const framesOf = (spec: Spec): Frames | undefined => spec.usermeta?.atto?.frames;

/** The values people start from: animations show their end, and play from their beginning. */
export function initialValues(spec: Spec): Values {
  const frames = framesOf(spec);
  return frames ? { [frames.param]: frames.steps.length - 1 } : {};
}

/** The spec with `values` set. The page drives the frame itself, so its parameter loses the slider of Vega. */
export function withValues(spec: Spec, values: Values): Spec {
  if (!spec.params) return spec;
  const frame = framesOf(spec)?.param;
  const params = spec.params.map((param) => {
    const copy = { ...param };
    if (param.name === frame) delete copy.bind;
    if (param.name in values) copy.value = values[param.name];
    return copy;
  });
  return { ...spec, params };
}

/** What the reader has set in a drawn figure, to be set again in the next drawing of it. */
export function valuesIn(view: { signal(name: string): unknown }, spec: Spec): Values {
  const frame = framesOf(spec)?.param;
  const settable = (spec.params ?? []).filter((param) => !param.select && (param.bind || param.name === frame));
  return Object.fromEntries(settable.map(({ name }) => [name, view.signal(name)]));
}
