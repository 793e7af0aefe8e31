// A figure as `atto` writes it: a Vega-Lite spec, with what the page must know of it in usermeta.atto.

/** An animation: the parameter that holds the frame, and the training step of each frame. */
export interface Frames {
  param: string;
  steps: number[];
}

/** Natural size: `panels` views of `width` x `height` in `columns`, each with `extra` pixels beside it for axes. */
export interface Natural {
  width: number;
  height?: number;
  panels?: number;
  columns?: number;
  extra?: number;
  smallest?: number; // pixels that a panel needs to stay legible
  keep_aspect?: boolean;
}

export interface About extends Partial<Natural> {
  name?: string; // study/figure
  marks?: number;
  frames?: Frames;
}

/** What the page itself reads or changes of a view; the rest goes to Vega-Lite as it is. */
export interface View {
  width?: number;
  height?: number;
  concat?: View[];
  hconcat?: View[];
  vconcat?: View[];
  spec?: View;
  [rest: string]: unknown;
}

export interface Param {
  name: string;
  value?: unknown;
  bind?: unknown;
  select?: unknown;
}

export interface Spec extends View {
  usermeta?: { atto?: About };
  columns?: number;
  params?: Param[];
}

/** Values of parameters by name. */
export type Values = Record<string, unknown>;

/** The natural size, if the spec tells one. */
export function naturalSize(spec: Spec): Natural | undefined {
  const about = spec.usermeta?.atto;
  return about?.width ? { ...about, width: about.width } : undefined;
}
