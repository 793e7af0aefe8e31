// The data of figures is read as any reader of CSV would.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importTypeScript } from "./typescript.mjs";

const { readCsv } = await importTypeScript("report/csv.ts");

test("plain lines, with or without a newline at the end", () => {
  const rows = [{ a: "1", b: "2.5" }, { a: "-3", b: "" }];
  assert.deepEqual(readCsv("a,b\n1,2.5\n-3,\n"), rows);
  assert.deepEqual(readCsv("a,b\r\n1,2.5\r\n-3,"), rows);
});

test("quotes keep commas, lines and quotes", () => {
  assert.deepEqual(readCsv('name,b\n"one, two",1\n"a ""word""\nand more",\n'), [{ name: "one, two", b: "1" }, { name: 'a "word"\nand more', b: "" }]);
  assert.deepEqual(readCsv('"x"\n""\n","\n'), [{ x: "" }, { x: "," }]);
});

test("short lines have empty fields, and no lines no rows", () => {
  assert.deepEqual(readCsv("a,b\n1\n"), [{ a: "1", b: "" }]);
  assert.deepEqual(readCsv("a,b\n"), []);
  assert.deepEqual(readCsv('a,"b"\n1\n'), [{ a: "1", b: "" }]);
});

test("a quote without an end is said", () => {
  assert.throws(() => readCsv('a\n"1\n'), /no end/);
});
