// CSV (RFC 4180) without code made from text, which the page's policy forbids.

export type Row = Record<string, string>;

/** The end of the quoted field that begins at `start`: the place of its last quote. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  throw new Error("a quoted field of the data has no end");
}

/** The fields of each line, some of them quoted. */
function quotedRows(text: string): string[][] {
  const plain = /[^,\n]*/y;
  const rows: string[][] = [[]];
  for (let at = 0; at < text.length; ++at) {
    let end: number;
    let field: string;
    if (text[at] === '"') {
      end = closingQuote(text, at) + 1;
      field = text.slice(at + 1, end - 1).replaceAll('""', '"');
    } else {
      plain.lastIndex = at;
      field = plain.exec(text)?.[0] ?? "";
      end = at + field.length;
    }
    rows.at(-1)?.push(field);
    if (text[end] === "," && end + 1 === text.length) rows.at(-1)?.push("");
    if (text[end] === "\n" && end + 1 < text.length) rows.push([]);
    at = end;
  }
  return rows;
}

function rowsOf(text: string): string[][] {
  const lines = text.replaceAll("\r\n", "\n");
  return lines.includes('"') ? quotedRows(lines) : lines.replace(/\n$/, "").split("\n").map((line) => line.split(","));
}

/** One object for each line after the first, which names the columns. */
export function readCsv(text: string): Row[] {
  const [columns = [], ...rows] = rowsOf(text);
  return rows.map((fields) => Object.fromEntries(columns.map((column, i) => [column, fields[i] ?? ""])));
}
