// What the visitor points at: a run under the pointer, a stretch of time zoomed to. Not part of a link.
import { signal } from "@preact/signals";
import { currentScene, recordings } from "./lab.ts";
import { state } from "./state.ts";
import type { RunRecord } from "./recordings.ts";

export const hovered = signal<{ cell: number; seed: number } | null>(null);
export const zoom = signal<[number, number] | null>(null);

export function hover(run: { cell: number; seed: number } | null): void {
  const now = hovered.value;
  if (now?.cell !== run?.cell || now?.seed !== run?.seed) hovered.value = run;
}

export function follow(seed: number | null): void {
  state.value = { ...state.value, follow: seed };
}

/** The run of a cell that the detailed views show: the followed one, or the first. */
export function shownRun(cell: number): RunRecord | undefined {
  const recorded = recordings.value;
  const { follow: seed } = state.value;
  return recorded.find(cell, seed ?? currentScene.value?.seed ?? -1) ?? recorded.of(cell)[0];
}
