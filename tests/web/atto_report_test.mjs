// Reports and figures of real runs, as `atto` writes them, in a browser. $ATTO_BINARY is the program, $ATTO_STUDIES the studies.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "./browser.mjs";
import { checkReport } from "./check_report.mjs";
import { gifSize, pngSize } from "./files.mjs";
import { importTypeScript } from "./typescript.mjs";

const folder = mkdtempSync(join(tmpdir(), "atto-real-report-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let browser; // one for all: pages have no memory of each other
before(async () => (browser = await startBrowser()));
after(() => browser?.close());
const attoIn = (cwd, ...words) => execFileSync(process.env.ATTO_BINARY, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const atto = (...words) => attoIn(folder, ...words);

// Short runs of few seeds: the pictures are not what was found, but every kind of them is there.
const SHORT = ["--seeds", "3", "--set", "training.steps=200"];
const TRAINED = ["sticky-plateau", "embedding-branching", "plateau-phase-diagram", "rank-collapse", "similar-content-width", "attention-sink"];
const THEORY = ["emergence-theory", "late-phase", "in-context-repetition"];

const HOSTILE = `title = "<script>document.title = 'taken'</script>"
source = '"><img src=x onerror="document.title=1">'
[data]
task = "copy"
context = 2
vocab = 3
[training]
steps = 20
[[observe]]
what = ["perplexity"]
every = 5
[seeds]
count = 2
[[figure]]
name = "hostile"
kind = "curves"
title = "</script><b>bold</b>"
note = "<i>note</i>"
lines = { "<script>x</script>, \\"y\\"" = "data.vocab / 2" }
`;

test("a report of trained networks passes every check", { timeout: 800_000 }, async (t) => {
  atto("reproduce", ...TRAINED, ...SHORT);
  const problems = await checkReport(browser, join(folder, "results/report.html"), (line) => t.diagnostic(line));
  assert.deepEqual(problems, []);
});

// After the test above, whose runs the store holds.
test("figures lead to the playground with their own runs", async (t) => {
  const report = join(folder, "results/report.html");
  if (!existsSync(join(folder, "results/report-playground.html"))) return t.skip("the program was built without the playground");
  const { fromFragment } = await importTypeScript("playground/state/url.ts");
  const { page, said } = await openPage(browser, report);
  const links = await page.locator(".live a").evaluateAll((all) => all.map(({ href }) => href));
  assert.ok(links.length > 5, `${links.length} links`);
  for (const link of links) {
    const { state, notices } = fromFragment(new URL(link).hash);
    assert.deepEqual(notices, []);
    writeFileSync(join(folder, "linked.toml"), state.study);
    const [outlook] = JSON.parse(atto("run", "linked.toml", "--dry-run", "--json"));
    assert.equal(outlook.stored, outlook.runs, "the store has the very runs that the link describes");
  }
  await page.goto(links[0]);
  await page.waitForFunction(() => document.body.innerText.trim().length > 100);
  assert.deepEqual(said, []);
  await page.close();
});

test("a report of the theory passes every check", { timeout: 800_000 }, async () => {
  atto("reproduce", ...THEORY, "--store", "theory/atto.db");
  assert.deepEqual(await checkReport(browser, join(folder, "theory/report.html")), []);
});

test("texts of a study stay texts", async () => {
  writeFileSync(join(folder, "hostile.toml"), HOSTILE);
  atto("reproduce", "hostile.toml", "--store", "hostile/atto.db");
  const { page, said } = await openPage(browser, join(folder, "hostile/report.html"));
  assert.deepEqual(said, []);
  assert.equal(await page.title(), "Attoscope report");
  assert.equal(await page.locator("h3").first().textContent(), "</script><b>bold</b>");
  assert.equal(await page.locator("figure b, figure i, section img").count(), 0);
  assert.match(await page.locator("figure svg").first().textContent(), /<script>x<\/script>, "y"/);
  await page.close();
});

test("a report of a store that has only some of the runs passes every check", { timeout: 800_000 }, async () => {
  const studies = ["sticky-plateau", "embedding-branching", "similar-content-width"];
  const options = ["--set", "training.steps=200", "--store", "partial/atto.db"];
  for (const study of studies) atto("run", study, "--seeds", "1", ...options);
  atto("report", ...studies, ...options);
  const report = join(folder, "partial/report.html");
  assert.deepEqual(await checkReport(browser, report), []);
  assert.match(readFileSync(report, "utf8"), /3 of 96 runs are in the store/);
});

test("a report without a store opens", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  attoIn(empty, "report", "sticky-plateau");
  const { page, said } = await openPage(browser, join(empty, "results/report.html"));
  assert.deepEqual(said, []);
  assert.match(await page.locator(".notice").first().textContent(), /There is no store/);
  await page.close();
});

test("the command line draws the same figures as files", async () => {
  atto("figure", "embedding-branching", "--svg", "--png", "--gif", "--output", "figures", ...SHORT);
  const file = (name) => readFileSync(join(folder, "figures", name));
  assert.match(file("embedding-branching-perplexity.svg").toString("utf8"), /^<\?xml[^>]*>\n<svg[^]*<\/svg>\n$/);
  assert.ok(pngSize(file("embedding-branching-perplexity.png")).width > 300);
  assert.ok(gifSize(file("embedding-branching-trajectories.gif")).frames > 5);
});
