// The tests look for a browser as `atto` does.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { findBrowser } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "atto-browser-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function program(...path) {
  const file = join(folder, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

test("a named browser comes first, then Chromium before Chrome", () => {
  const chrome = program("first", "google-chrome");
  const chromium = program("second", "chromium");
  const PATH = [join(folder, "first"), join(folder, "second")].join(delimiter);
  assert.equal(findBrowser({ PATH }), chromium);
  assert.equal(findBrowser({ PATH, ATTO_BROWSER: "" }), chromium);
  assert.equal(findBrowser({ PATH, ATTO_BROWSER: chrome }), chrome);
});

test("a missing one is named with its remedy", () => {
  assert.throws(() => findBrowser({ PATH: folder }), /no browser .* scripts\/setup.sh test, or name .* \$ATTO_BROWSER/);
  assert.throws(() => findBrowser({ PATH: folder, ATTO_BROWSER: "/no/such" }), /'\/no\/such' of \$ATTO_BROWSER is missing/);
});
