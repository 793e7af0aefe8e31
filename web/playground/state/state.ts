// The state of the page: all of it, and nothing that is not in its link. What the engine says in return lives in lab.ts.
import { signal } from "@preact/signals";
import { SCENES, sceneOf } from "./scenes.ts";
import { addCells, addClaim, addGrid, dropTables, hasSweep, setKey, splitClaims, tomlValue, type Claim } from "./toml.ts";

export type Settings = Record<string, string>;
export type Tab = "watch" | "plane";

export interface Plane {
  x: string; // "network.width: 2, 3, 5"
  y: string;
  quantity: string;
}

export interface State {
  scene: string;
  /** A study of the visitor's own, in place of a scene's. */
  study: string | null;
  set: Settings;
  /** What the second of two settings changes; null: there is one. */
  vs: Settings | null;
  seeds: number | null;
  tab: Tab;
  plane: Plane | null;
  claim: Claim | null;
  follow: number | null;
  /** The step that is looked at; null: the newest. */
  at: number | null;
}

export type Change = Partial<Omit<State, "scene">>;

export const MOST_SEEDS = 256;

export const initialState = (scene = SCENES[0]?.id ?? ""): State => ({
  scene,
  study: null,
  set: {},
  vs: null,
  seeds: null,
  tab: "watch",
  plane: null,
  claim: null,
  follow: null,
  at: null,
});

export const state = signal<State>(initialState());

/** What the page has to say that is no error: settings it left out of a link, limits it kept. */
export const notices = signal<string[]>([]);

export const notice = (text: string): void => {
  if (!notices.value.includes(text)) notices.value = [...notices.value, text];
};

/** A few seconds of training depend on these; the rest is how it is looked at. */
export const trainingKey = ({ scene, study, set, vs, seeds, tab, plane, claim }: State): string =>
  JSON.stringify([scene, study, set, vs, seeds, claim, tab === "plane" && plane]);

/** A scene and nothing else, with as many seeds as somebody likes. */
export const isUntouched = ({ study, set, vs, claim, tab }: State): boolean =>
  study === null && vs === null && claim === null && tab === "watch" && Object.keys(set).length === 0;

export const baseText = (from: State): string => from.study ?? sceneOf(from.scene)?.text ?? SCENES[0]?.text ?? "";

/** The axis that "network.width: 2, 3" speaks of. */
export function parseAxis(text: string): { key: string; values: string[] } | null {
  const colon = text.indexOf(":");
  const key = text.slice(0, colon).trim();
  const values = text
    .slice(colon + 1)
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean);
  return colon > 0 && /^[a-z]+(\.[a-z_0-9]+)+$/.test(key) && values.length > 0 ? { key, values } : null;
}

export const planeOf = (from: State): Plane => {
  const scene = sceneOf(from.scene);
  return from.plane ?? scene?.plane ?? { x: "network.width: 2, 3, 4", y: "data.context: 4, 8", quantity: "" };
};

function withSettings(from: State): string {
  let text = baseText(from);
  for (const [key, value] of Object.entries(from.set)) text = setKey(text, key, tomlValue(value));
  if (from.seeds !== null) text = setKey(text, "seeds.count", String(from.seeds));
  return text;
}

/** The study that is running: the scene's text with every change in it. `base` are the settings of its first cell, which the first of
 *  two compared cells must name. */
export function studyText(from: State, base: (key: string) => string): string {
  let text = withSettings(from);
  if (from.vs && Object.keys(from.vs).length && !hasSweep(text)) {
    const first = Object.fromEntries(Object.keys(from.vs).map((key) => [key, from.set[key] ?? base(key)]));
    text = addCells(splitClaims(text, [first, from.vs]), [first, from.vs]);
  }
  return from.claim ? addClaim(text, from.claim) : text;
}

/** The study of the phase diagram: the same runs over a grid, without claims, which may speak of cells that it does not have. */
export function planeText(from: State): string | null {
  const plane = planeOf(from);
  const x = parseAxis(plane.x);
  const y = parseAxis(plane.y);
  if (!x || !y || x.key === y.key) return null;
  const text = dropTables(dropTables(withSettings(from), "claim"), "figure");
  return hasSweep(text) ? null : addGrid(text, [y, x]);
}
