// A scene measures what its own network has. Where a visitor's change takes something away, such as the positions of a network without
// positions, what speaks of it is left out of the study, and the rest goes on. Which table that is, the lab's error says by its line.
import type { EngineError } from "../engine/engine.ts";
import { YOURS } from "./toml.ts";

const HEADER = /^\s*\[\[\s*(observe|phenomenon|claim|quantity)\s*\]\]/;
const ANY_HEADER = /^\s*\[/;

export interface Repaired {
  text: string;
  leftOut: string;
}

const nameIn = (lines: string[], keys: string[]): string => {
  for (const key of keys)
    for (const line of lines) {
      const found = new RegExp(`^\\s*${key}\\s*=\\s*"([^"]*)"`).exec(line)?.[1];
      if (found) return found;
    }
  return "";
};

/** The study without what the error is about; null where that is nothing that may be left out. */
export function leaveOut(text: string, error: EngineError): Repaired | null {
  const lines = text.split("\n");
  const at = (error.line ?? 0) - 1;
  if (at < 0 || at >= lines.length) return null;
  let start = at;
  while (start > 0 && !ANY_HEADER.test(lines[start] ?? "")) start--;
  const kind = HEADER.exec(lines[start] ?? "")?.[1];
  if (!kind) return null;
  let end = start + 1;
  while (end < lines.length && !ANY_HEADER.test(lines[end] ?? "")) end++;
  const table = lines.slice(start, end);
  const without = (from: number, to: number, put: string[] = []): string =>
    [...lines.slice(0, from), ...put, ...lines.slice(to)].join("\n");
  // What the visitor claims is answered in words.
  if (kind === "claim" && nameIn(table, ["id"]) === YOURS) return null;
  if (kind !== "observe") return { text: without(start, end), leftOut: nameIn(table, ["name", "detector", "id"]) || kind };
  // Of a list of addresses only the one that the error names.
  const named = [...error.message.matchAll(/'([^']+)'/g)].map((match) => match[1] as string);
  const address = named.find((one) => table.some((line) => line.includes(`"${one}"`)));
  if (!address) return null;
  const kept = table.map((line) =>
    /^\s*what\s*=/.test(line) ? line.replace(`"${address}", `, "").replace(`, "${address}"`, "").replace(`"${address}"`, "") : line,
  );
  const empty = kept.some((line) => /^\s*what\s*=\s*(\[\s*\])?\s*$/.test(line));
  return { text: empty ? without(start, end) : without(start, end, kept), leftOut: address };
}
