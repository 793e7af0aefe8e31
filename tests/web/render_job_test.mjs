// The page draws single figures for the command line, and a headless browser prints them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { FLAGS, findBrowser } from "./browser.mjs";
import { gifSize, pngSize } from "./files.mjs";
import { writePage } from "./fixture.mjs";
import { curves, maps, trajectory } from "./specs.mjs";

const folder = mkdtempSync(join(tmpdir(), "atto-render-"));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** What the job leaves in the page: per figure a file, or the message of its failure. */
async function render(figures) {
  const page = join(folder, "job.html");
  const job = JSON.stringify({ figures }).replace(/</g, "\\u003c");
  writePage(page, `<script type="application/json" id="render-job">${job}</script>`);
  const flags = ["--headless", ...FLAGS, `--user-data-dir=${join(folder, "profile")}`, "--dump-dom", `file://${page}`];
  const { stdout } = await promisify(execFile)(findBrowser(), flags, { maxBuffer: 1 << 28 });
  const results = [];
  for (const [, kind, index, text] of stdout.matchAll(/<pre class="(result|failure)" data-index="(\d+)">([^<]*)<\/pre>/g)) {
    results[index] = kind === "result" ? Buffer.from(text, "base64") : text;
  }
  return results;
}

test("a job leaves one file for each figure", async () => {
  const [svg, png, gif, failure, nonsense] = await render([
    { spec: curves(), format: "svg" },
    { spec: maps(), format: "png", scale: 2, theme: "dark" },
    { spec: trajectory(), format: "gif" },
    { spec: maps(), format: "gif" },
    { spec: { mark: "no such mark" }, format: "svg" },
  ]);
  assert.match(svg.toString("utf8"), /^<\?xml[^>]*>\n<svg[^]*V = 100[^]*<\/svg>\n$/);
  assert.ok(pngSize(png).width > 900);
  assert.equal(gifSize(gif).frames, 60);
  assert.ok(gif.length < 3_000_000, `${gif.length} bytes`);
  assert.equal(failure, "a GIF needs a figure with frames");
  assert.equal(typeof nonsense, "string"); // in the words of Vega-Lite
});
