// The widget of attoscope.watch() in a browser, with a model that is made by hand.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, withBrowser } from "./browser.mjs";
import { decodeFrame, median, Runs } from "../../python/attoscope/_live_view.mjs";

const folder = mkdtempSync(join(tmpdir(), "atto-widget-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A frame as src/live/frame.h writes it. */
function encodeFrame(blocks, news) {
  const parts = [Buffer.alloc(8)];
  parts[0].writeUInt32LE(0x31465441, 0);
  parts[0].writeUInt32LE(blocks.length, 4);
  for (const { run, series, width, steps, values } of blocks) {
    const size = 16 + 8 * steps.length + 4 * values.length;
    const block = Buffer.alloc(Math.ceil(size / 8) * 8);
    [run, series, steps.length, width].forEach((number, i) => block.writeUInt32LE(number, 4 * i));
    steps.forEach((step, i) => block.writeDoubleLE(step, 16 + 8 * i));
    values.forEach((value, i) => block.writeFloatLE(value, 16 + 8 * steps.length + 4 * i));
    parts.push(block);
  }
  const text = Buffer.from(JSON.stringify(news));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([...parts, length, text]);
}

const study = {
  title: "Watched",
  cells: [
    { text: "width 2", series: [{ address: "perplexity", shape: [] }, { address: "embedding", shape: [3, 2] }] },
    { text: "width 3", series: [{ address: "perplexity", shape: [] }] },
  ],
};
const keys = [1, 2, 3].map((seed) => ({ cell: 0, seed }));
const frame = encodeFrame(
  [
    ...[0, 1, 2].map((run) => ({ run, series: 0, width: 1, steps: [0, 10], values: [8, 4 + run] })),
    { run: 0, series: 1, width: 6, steps: [0, 10], values: [0, 0, 0, 0, 0, 0, 1, 2, -1, 0.5, 0, -2] },
  ],
  { runs: [0, 1, 2].map((run) => ({ run, step: 10, finished: run === 2, diverged: false })), ended: false, train_ms: 1, steps: 30 },
);

test("frames are read as they were written", () => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const { blocks, runs, steps } = decodeFrame(view);
  assert.equal(blocks.length, 4);
  assert.deepEqual(blocks[1], { run: 1, series: 0, width: 1, steps: [0, 10], values: [8, 5] });
  assert.equal(runs[2].finished, true);
  assert.equal(steps, 30);
  assert.throws(() => decodeFrame(new DataView(new ArrayBuffer(16))), /no frame/);
});

test("runs gather what frames tell", () => {
  const runs = new Runs(study, keys);
  assert.deepEqual(runs.medianOf(0), { steps: [], values: [] });
  runs.add(decodeFrame(new DataView(frame.buffer, frame.byteOffset, frame.byteLength)));
  assert.deepEqual(runs.medianOf(0), { steps: [0, 10], values: [8, 5] });
  assert.deepEqual(runs.all[0].cloud, { width: 2, values: [1, 2, -1, 0.5, 0, -2] });
  assert.equal(runs.summary(), "3 runs, 1 finished, step 10");
  assert.equal(median([3, NaN, 1, 2, 4]), 2.5);
});

const source = readFileSync(new URL("../../python/attoscope/_live_view.mjs", import.meta.url), "utf8");

test("while its questions wait the widget draws what it is told", () =>
  withBrowser(async (browser) => {
    const later = encodeFrame(
      [0, 1, 2].map((run) => ({ run, series: 0, width: 1, steps: [20], values: [2 + run] })),
      { runs: [0, 1, 2].map((run) => ({ run, step: 20, finished: true, diverged: false })), ended: true, train_ms: 1, steps: 30 },
    );
    const page_path = join(folder, "busy.html");
    writeFileSync(page_path, `<!doctype html><html lang="en"><head><title>widget</title><link rel="icon" href="data:,"></head><body>
<div id="cell" style="width: 900px"></div><script type="module">
${source.replace("export default { render };", "globalThis.widget = { render };")}
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const [frame, later] = [bytes("${frame.toString("base64")}"), bytes("${later.toString("base64")}")];
globalThis.sent = [];
let hear;
const model = {
  get: (name) => ({ study: ${JSON.stringify(study)}, runs: ${JSON.stringify(keys)} })[name],
  on: (name, callback) => (hear = callback),
  off: () => {},
  send: (message) => sent.push(message),
};
widget.render({ model, el: document.getElementById("cell") });
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
globalThis.tell = async (since, news, end) => {
  hear({ since, news, end, failure: "", unasked: true }, [since === 0 ? frame : later]);
  await drawn();
};
globalThis.answer = (since, news, over) => hear({ since, news, over, failure: "" }, since === 0 ? [frame] : []);
</script></body></html>`);
    const { page, said } = await openPage(browser, page_path);
    const status = () => page.getByRole("status").textContent();
    await page.evaluate(() => tell(0, 1, 1));
    assert.equal(await status(), "3 runs, 1 finished, step 10");
    await page.evaluate(() => tell(0, 1, 2)); // all anew, and what has come since
    await page.evaluate(() => tell(1, 2, 2));
    assert.equal(await status(), "3 runs, 3 finished, step 20");
    await page.evaluate(() => tell(0, 1, 2)); // nothing that it does not know
    assert.equal(await status(), "3 runs, 3 finished, step 20");
    assert.deepEqual(await page.evaluate(() => sent), [{ ask: "news", place: 0 }], "one question is enough");
    await page.evaluate(() => answer(0, 1, false)); // to the question that had to wait
    await page.waitForFunction(() => sent.length === 2);
    assert.deepEqual(await page.evaluate(() => sent[1]), { ask: "news", place: 2 });
    await page.evaluate(() => answer(2, 2, true));
    await page.getByRole("button", { name: "Pause", disabled: true }).waitFor();
    assert.equal(await status(), "3 runs, 3 finished, step 20");
    assert.deepEqual(said, []);
  }));

test("the widget draws, follows and pauses", () =>
  withBrowser(async (browser) => {
    const page_path = join(folder, "widget.html");
    writeFileSync(page_path, `<!doctype html><html lang="en"><head><title>widget</title><link rel="icon" href="data:,"></head><body>
<div id="cell" style="width: 900px"></div><script type="module">
${source.replace("export default { render };", "globalThis.widget = { render };")}
const frame = Uint8Array.from(atob("${frame.toString("base64")}"), (c) => c.charCodeAt(0));
globalThis.sent = [];
globalThis.over = false;
globalThis.listeners = new Set();
const model = {
  get: (name) => ({ study: ${JSON.stringify(study)}, runs: ${JSON.stringify(keys)} })[name],
  on: (name, callback) => name === "msg:custom" && listeners.add(callback),
  off: (name, callback) => listeners.delete(callback),
  send: (message) => {
    sent.push(message);
    if (message.ask !== "news") return;
    const first = message.place === 0;
    queueMicrotask(() => listeners.forEach((hear) => hear({ since: message.place, news: 1, over, failure: "" }, first ? [new DataView(frame.buffer)] : [])));
  },
};
globalThis.cleanUp = widget.render({ model, el: document.getElementById("cell") });
</script></body></html>`);
    const { page, said } = await openPage(browser, page_path);
    await page.waitForFunction(() => sent.length >= 2); // it asked again after it had drawn
    const inked = (index) =>
      page.evaluate((i) => {
        const canvas = document.querySelectorAll("canvas")[i];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, at) => at % 4 === 3 && value > 0).length;
      }, index);
    assert.ok((await inked(0)) > 500, "curves are drawn");
    assert.ok((await inked(1)) > 20, "tokens of the embedding are drawn");
    assert.equal(await page.getByRole("status").textContent(), "3 runs, 1 finished, step 10");
    assert.equal(await page.getByRole("img").count(), 2);
    await page.getByRole("combobox").selectOption({ label: "width 2 seed 2" });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    assert.deepEqual(await page.evaluate(() => sent.filter(({ ask }) => ask !== "news")), [{ ask: "pause" }, { ask: "resume" }]);
    assert.equal(await page.locator("figcaption").first().textContent(), "perplexity⬤ width 2⬤ width 3");
    await page.evaluate(() => (globalThis.over = true));
    await page.getByRole("button", { name: "Pause", disabled: true }).waitFor(); // nothing trains any more
    assert.equal(await page.evaluate(() => (cleanUp(), listeners.size)), 0);
    assert.deepEqual(said, []);
  }));
