// Changes to the text of a study. The text stays what people wrote: only the lines that a change is about are touched, and what
// it means is for the lab's parser to say.

import type { Value } from "../engine/engine.ts";

const TABLE = /^\s*\[+\s*([^\]]+?)\s*\]+/;

/** A value as TOML: numbers, flags, lists and tables as they are, anything else as a string. */
export function tomlValue(plain: string): string {
  const text = plain.replace(/[\u0000-\u001f\u007f]/g, " ").trim();
  if (/^[+-]?(\d[\d_]*(\.\d+)?([eE][+-]?\d+)?|inf|nan)$/.test(text)) return text;
  if (text === "true" || text === "false") return text;
  if (/^\[.*\]$/.test(text) || /^\{.*\}$/.test(text)) return text;
  if (/^"(?:[^"\\]|\\.)*"$/.test(text)) return text;
  return tomlString(text);
}

export const tomlString = (text: string): string =>
  `"${text
    .replace(/[\u0000-\u001f\u007f]/g, " ")
    .replace(/\\/g, "\\\\")
    .replace(/"/g, '\\"')}"`;

const BARE_KEY = /^[A-Za-z0-9_-]+$/;

/** A setting as people write it: words without quotes where they stand alone, lists and tables as TOML. */
export function settingText(value: Value | undefined): string {
  if (value === undefined) return "";
  return typeof value === "object" ? inlineToml(value) : String(value);
}

function inlineToml(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(", ")}]`;
  if (typeof value === "string") return tomlString(value);
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value).map(([key, one]) => `${BARE_KEY.test(key) ? key : tomlString(key)} = ${inlineToml(one)}`);
  return entries.length ? `{ ${entries.join(", ")} }` : "{}";
}

/** Where the comment of a line begins, or its end. */
function commentAt(line: string): number {
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (quoted && character === "\\") i++;
    else if (character === '"') quoted = !quoted;
    else if (character === "#" && !quoted) return i;
  }
  return line.length;
}

/** The lines of a plain table, [first after its header, first of the next one); undefined where there is no such table. */
function tableLines(lines: string[], table: string): [number, number] | undefined {
  const start = lines.findIndex((line) => !/^\s*\[\[/.test(line) && TABLE.exec(line)?.[1] === table);
  if (start < 0) return undefined;
  const next = lines.findIndex((line, i) => i > start && TABLE.test(line));
  return [start + 1, next < 0 ? lines.length : next];
}

/** Sets `table.key` to a value of TOML. */
export function setKey(text: string, key: string, value: string): string {
  const lines = text.split("\n");
  const [table = "", ...rest] = key.split(".");
  const name = rest.join(".");
  const range = tableLines(lines, table);
  if (!range) {
    // Before the first list of tables, where the tables of a run stand.
    const first = lines.findIndex((line) => /^\s*\[\[/.test(line));
    lines.splice(first < 0 ? lines.length : first, 0, `[${table}]`, `${name} = ${value}`, "");
    return lines.join("\n");
  }
  const [start, end] = range;
  for (let i = start; i < end; i++) {
    const line = lines[i] ?? "";
    if (/^\s*([\w.-]+)\s*=/.exec(line)?.[1] !== name) continue;
    const comment = line.slice(commentAt(line)).trim();
    lines[i] = `${name} = ${value}${comment ? `  ${comment}` : ""}`;
    return lines.join("\n");
  }
  let last = end;
  while (last > start && (lines[last - 1] ?? "").trim() === "") last--;
  lines.splice(last, 0, `${name} = ${value}`);
  return lines.join("\n");
}

export const hasSweep = (text: string): boolean => /^\s*\[+\s*sweep\b/m.test(text);

/** Adds one cell per table of settings. */
export function addCells(text: string, cells: Record<string, string>[]): string {
  const tables = cells.map((cell) => {
    const settings = Object.entries(cell).map(([key, value]) => `${key} = ${tomlValue(value)}`);
    return ["[[sweep.cells]]", ...settings, ""].join("\n");
  });
  return `${text.trimEnd()}\n\n${tables.join("\n")}`;
}

/** Adds a grid of two axes. */
export function addGrid(text: string, axes: { key: string; values: string[] }[]): string {
  const lines = axes.map(({ key, values }) => `${key} = [${values.map(tomlValue).join(", ")}]`);
  return `${text.trimEnd()}\n\n[sweep.grid]\n${lines.join("\n")}\n`;
}

export interface Claim {
  statement: string;
  quantity: string;
  statistic: string;
  relativeTo?: string;
  given?: string;
  where?: Record<string, string>;
  low: number;
  high: number;
}

const tomlNumber = (value: number): string => (Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf");

export const YOURS = "yours";

/** Adds a claim under the id "yours". */
export function addClaim(text: string, claim: Claim): string {
  const lines = [
    "[[claim]]",
    `id = "${YOURS}"`,
    `statement = ${tomlString(claim.statement)}`,
    `quantity = ${tomlString(claim.quantity)}`,
    ...(claim.relativeTo ? [`relative_to = ${tomlString(claim.relativeTo)}`] : []),
    `statistic = ${tomlString(claim.statistic)}`,
    ...(claim.given ? [`given = ${tomlString(claim.given)}`] : []),
    ...(claim.where && Object.keys(claim.where).length
      ? [
          `where = { ${Object.entries(claim.where)
            .map(([key, value]) => `${key} = ${tomlValue(value)}`)
            .join(", ")} }`,
        ]
      : []),
    `region = [${tomlNumber(claim.low)}, ${tomlNumber(claim.high)}]`,
  ];
  return `${text.trimEnd()}\n\n${lines.join("\n")}\n`;
}

/** Asks every claim that names no cells once of each cell. */
export function splitClaims(text: string, cells: Record<string, string>[]): string {
  const kept: string[] = [];
  const split: string[] = [];
  let table: string[] = [];
  const flush = (): void => {
    const claim = /^\s*\[\[\s*claim\s*\]\]/.test(table[0] ?? "") && !table.some((line) => /^\s*(where|against)\s*=/.test(line));
    if (!claim) kept.push(...table);
    else
      cells.forEach((cell, index) => {
        const words = Object.entries(cell)
          .map(([key, value]) => `${key.slice(key.indexOf(".") + 1)} ${value}`)
          .join(", ")
          .replaceAll('"', "");
        const where = Object.entries(cell)
          .map(([key, value]) => `${key} = ${tomlValue(value)}`)
          .join(", ");
        const lines = table.map((line) =>
          line
            .replace(/^(id\s*=\s*"[^"]*)"/, `$1-${index + 1}"`)
            .replace(/^(statement\s*=\s*".*)"\s*$/, (_, start: string) => `${start} (${words.replaceAll("\\", "")})"`),
        );
        while (lines.at(-1)?.trim() === "") lines.pop();
        split.push(...lines, `where = { ${where} }`, "");
      });
    table = [];
  };
  for (const line of text.split("\n")) {
    if (TABLE.test(line)) flush();
    table.push(line);
  }
  flush();
  return `${kept.join("\n").trimEnd()}\n\n${split.join("\n")}`;
}

/** Takes the tables of one kind of list, such as [[claim]], out of a study. */
export function dropTables(text: string, kind: string): string {
  const kept: string[] = [];
  let dropping = false;
  for (const line of text.split("\n")) {
    const header = TABLE.exec(line);
    if (header) dropping = header[1] === kind;
    if (!dropping) kept.push(line);
  }
  return kept.join("\n");
}
