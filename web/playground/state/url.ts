// The state of the page as the fragment of its address, and back. Links stay readable, and those of other versions open: what is
// not known is named and left out, numbers are brought into range, and nothing in a link can throw.
//
//   #v=1&scene=sticky-plateau&network.width=3&seeds=32&vs.network.width=5&follow=7
import { sceneOf } from "./scenes.ts";
import { sentence } from "./sentence.ts";
import { initialState, MOST_SEEDS, type State } from "./state.ts";
import type { Claim } from "./toml.ts";

export const FORMAT = 1;
const SETTING = /^(data|network|training)\.[a-z_0-9]+$/;
const MOST_VALUE = 2000; // characters of one setting
const MOST_STUDY = 200_000;

export interface Opened {
  state: State;
  notices: string[];
}

export function encodeText(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function decodeText(code: string): string {
  const bytes = atob(code.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

/** Half a character, which no address can hold, becomes the sign for one that is lost. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

const number = (text: string | null): number => (text === null || text.trim() === "" ? NaN : Number(text) + 0); // no -0

function claimFields(claim: Claim): [string, string][] {
  return [
    ["claim.quantity", claim.quantity],
    ["claim.statistic", claim.statistic],
    ["claim.low", String(claim.low)],
    ["claim.high", String(claim.high)],
    ["claim.says", claim.statement],
    ...(claim.relativeTo ? ([["claim.per", claim.relativeTo]] as [string, string][]) : []),
    ...(claim.given ? ([["claim.given", claim.given]] as [string, string][]) : []),
    ...Object.entries(claim.where ?? {}).map(([key, value]): [string, string] => [`claim.where.${key}`, value]),
  ];
}

function readClaim(fields: Map<string, string>): Claim | null {
  const quantity = fields.get("claim.quantity");
  if (!quantity) return null;
  const low = number(fields.get("claim.low") ?? null);
  const high = number(fields.get("claim.high") ?? null);
  const where: Record<string, string> = {};
  for (const [key, value] of fields) {
    const setting = key.startsWith("claim.where.") ? key.slice("claim.where.".length) : "";
    if (SETTING.test(setting)) where[setting] = value;
  }
  const claim = {
    quantity,
    statistic: fields.get("claim.statistic") ?? "median",
    low: Number.isNaN(low) ? -Infinity : low,
    high: Number.isNaN(high) ? Infinity : high,
    ...(fields.get("claim.per") ? { relativeTo: fields.get("claim.per") as string } : {}),
    ...(fields.get("claim.given") ? { given: fields.get("claim.given") as string } : {}),
    ...(Object.keys(where).length ? { where } : {}),
  };
  return { ...claim, statement: fields.get("claim.says") ?? sentence(claim) };
}

/** A link's fragment. `made` says by which page and engine, for whoever reads it later. */
export function toFragment(state: State, made: { page?: string; engine?: string } = {}): string {
  const fields: [string, string][] = [
    ["v", String(FORMAT)],
    ["scene", state.scene],
  ];
  if (state.study !== null) fields.push(["study", encodeText(state.study)]);
  for (const [key, value] of Object.entries(state.set)) fields.push([key, value]);
  if (state.seeds !== null) fields.push(["seeds", String(state.seeds)]);
  for (const [key, value] of Object.entries(state.vs ?? {})) fields.push([`vs.${key}`, value]);
  if (state.tab !== "watch") fields.push(["tab", state.tab]);
  if (state.plane) fields.push(["x", state.plane.x], ["y", state.plane.y], ["share", state.plane.quantity]);
  if (state.claim) fields.push(...claimFields(state.claim));
  if (state.follow !== null) fields.push(["follow", String(state.follow)]);
  if (state.at !== null) fields.push(["at", String(state.at)]);
  if (made.page) fields.push(["page", made.page]);
  if (made.engine) fields.push(["engine", made.engine]);
  return fields.map(([key, value]) => `${key}=${encodeURIComponent(wellFormed(value))}`).join("&");
}

const KNOWN = new Set(["v", "scene", "study", "seeds", "tab", "x", "y", "share", "follow", "at", "page", "engine"]);

function decodePart(text: string): string | null {
  try {
    return wellFormed(decodeURIComponent(text.replace(/\+/g, " ")));
  } catch {
    return null; // a broken escape
  }
}

export function fromFragment(fragment: string): Opened {
  const notices: string[] = [];
  const fields = new Map<string, string>();
  const unknown: string[] = [];
  for (const part of fragment.replace(/^#/, "").split("&")) {
    if (!part) continue;
    const equals = part.indexOf("=");
    const key = decodePart(equals < 0 ? part : part.slice(0, equals));
    const value = decodePart(equals < 0 ? "" : part.slice(equals + 1));
    const setting = key?.startsWith("vs.") ? key.slice(3) : key;
    const known = key !== null && (KNOWN.has(key) || key.startsWith("claim.") || SETTING.test(setting ?? ""));
    if (known && value !== null && (key === "study" || value.length <= MOST_VALUE)) fields.set(key, value);
    else unknown.push((key ?? part).slice(0, 40));
  }
  if (unknown.length)
    notices.push(`The link holds what this page does not know, and that was left out: ${unknown.slice(0, 5).join(", ")}.`);
  const version = number(fields.get("v") ?? null);
  if (version > FORMAT) notices.push("The link was made by a newer page; what it adds was left out.");

  const state = initialState();
  const scene = fields.get("scene");
  if (scene !== undefined) {
    if (sceneOf(scene)) state.scene = scene;
    else notices.push(`There is no scene “${scene.slice(0, 40)}”: this is ${sceneOf(state.scene)?.name ?? ""}.`);
  }
  const study = fields.get("study");
  if (study !== undefined) {
    try {
      const text = decodeText(study);
      if (text.length > MOST_STUDY) notices.push("The study in the link is too long, and was left out.");
      else state.study = text;
    } catch {
      notices.push("The study in the link is damaged, and was left out.");
    }
  }
  const vs: Record<string, string> = {};
  for (const [key, value] of fields) {
    if (SETTING.test(key)) state.set[key] = value;
    else if (key.startsWith("vs.")) vs[key.slice(3)] = value;
  }
  if (Object.keys(vs).length) state.vs = vs;
  if (fields.has("seeds")) {
    const seeds = number(fields.get("seeds") ?? null);
    if (Number.isNaN(seeds)) notices.push("The number of seeds in the link is no number.");
    else {
      state.seeds = Math.min(MOST_SEEDS, Math.max(1, Math.round(seeds)));
      if (seeds > MOST_SEEDS)
        notices.push(
          `The link asks for ${seeds.toExponential(0)} seeds. The page trains at most ${MOST_SEEDS}; atto run trains any number.`,
        );
    }
  }
  if (fields.get("tab") === "plane") state.tab = "plane";
  const x = fields.get("x");
  const y = fields.get("y");
  if (x !== undefined && y !== undefined) state.plane = { x, y, quantity: fields.get("share") ?? "" };
  state.claim = readClaim(fields);
  const follow = number(fields.get("follow") ?? null);
  if (Number.isInteger(follow) && follow >= 0 && follow <= 1e9) state.follow = follow;
  const at = number(fields.get("at") ?? null);
  if (at >= 0 && Number.isFinite(at)) state.at = at;
  return { state, notices };
}
