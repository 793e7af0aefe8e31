// The playground in a browser, from its file: every scene trains, every control works, the link restores the state, and the page says
// nothing to the console and asks nobody for anything. `make page` builds what is opened here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openPage, startBrowser } from "../web/browser.mjs";
import { FILE } from "./built_page.mjs";

const SCENES = ["sticky-plateau", "branching", "similar-content", "previous-token", "attention-sink", "emergence", "recall", "blank"];

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** Opens the page at a fragment, trains as fast as it goes, and holds it to its silence in the end. */
async function visit(fragment, use, options = {}) {
  const { page, said } = await openPage(options.browser ?? browser, FILE, { fragment, ...options });
  try {
    if (options.fast !== false) await fast(page);
    await use(page);
    assert.deepEqual(said, []);
  } finally {
    await page.close();
  }
}

async function fast(page) {
  await page.evaluate(() => localStorage.setItem("atto-intro", "seen"));
  await page.getByLabel("pace").selectOption("fast", { force: true });
}
const until = (page, what, argument) => page.waitForFunction(what, argument, { timeout: 180_000 });
const trained = (page) => until(page, () => atto.training.value === "ended" && atto.recordings.value.ended);
const stateOf = (page) => page.evaluate(() => structuredClone(atto.state.value));
const told = (page) => page.locator(".messages").innerText();
/** Waits until the runs on screen are those of a setting of the first cell. */
const runs = (page, key, value) => until(page, ([key, value]) => String(atto.study.value?.cells[0]?.config[key]) === value, [key, value]);

test("the page is one file of at most 3 MB, 1 MB compressed, that may ask nobody", () => {
  const page = readFileSync(FILE);
  assert.ok(page.length <= 3e6, `${page.length} bytes`);
  assert.ok(gzipSync(page).length <= 1e6, `${gzipSync(page).length} bytes compressed`);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page.toString())[1];
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /connect-src 'none'/);
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'|'unsafe-eval'/);
});

for (const scene of SCENES)
  test(`the scene ${scene} trains to its end and is judged`, () =>
    visit(`v=1&scene=${scene}&seeds=6`, async (page) => {
      await trained(page);
      await until(page, () => atto.judgement.value?.complete);
      const seen = await page.evaluate(() => {
        const { runs } = atto.recordings.value;
        return {
          runs: runs.length,
          measured: Math.min(...runs.map((run) => Math.min(...[...run.tracks.values()].map(({ length }) => length)))),
          found: runs.every((run) => Object.keys(run.findings).length > 0),
          verdicts: atto.judgement.value.verdicts.map(({ verdict }) => verdict),
        };
      });
      assert.equal(seen.runs, 6);
      assert.ok(seen.measured > 10, `only ${seen.measured} measurements`);
      assert.ok(seen.found);
      assert.ok(seen.verdicts.length > 0 && seen.verdicts.every((one) => ["supported", "refuted", "inconclusive"].includes(one)));
      // Something is drawn in every view, by the next frame or two: not all pixels are alike.
      await until(page, () =>
        [...document.querySelectorAll("canvas")].every((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size >= 4;
        }),
      );
    }));

test("numbers are changed by button, by typing and by arrow keys; words and flags by their controls", () =>
  visit("v=1&scene=blank&seeds=4&training.steps=300", async (page) => {
    await trained(page);
    const vocab = page.getByRole("spinbutton", { name: "vocab" });
    await page.locator(".setting", { has: vocab }).getByText("+").click();
    await runs(page, "data.vocab", "7");
    await vocab.fill("12");
    await vocab.press("Tab");
    await runs(page, "data.vocab", "12");
    await page.getByRole("spinbutton", { name: "width" }).press("ArrowUp");
    await runs(page, "network.width", "3");
    await page.getByRole("spinbutton", { name: "rate" }).press("ArrowDown");
    await runs(page, "training.rate", "0.002");
    await page.getByLabel("positions", { exact: true }).selectOption("learned");
    await runs(page, "network.positions", "learned");
    await page.getByLabel("residual", { exact: true }).focus();
    await page.keyboard.press("Space");
    await runs(page, "network.residual", "true");
    await vocab.fill("nonsense");
    await vocab.press("Tab");
    assert.equal(await vocab.inputValue(), "12");
    await page.getByLabel("networks").fill("6");
    await page.keyboard.press("Enter");
    await until(page, () => atto.recordings.value.runs.length === 6);
    await page.getByText("back to the scene's settings").click();
    await runs(page, "data.vocab", "6");
  }));

test("only what applies is there, and help says what it is", () =>
  visit("v=1&scene=blank&seeds=2&training.steps=100", async (page) => {
    await trained(page);
    assert.equal(await page.getByLabel("pairs", { exact: true }).count(), 0);
    await page.getByRole("button", { name: "What is vocab?" }).click();
    assert.match(await page.locator(".help-text").innerText(), /kinds of token.*Allowed: an integer from 2/s);
    await page.getByLabel("task", { exact: true }).selectOption("recall");
    await runs(page, "data.task", "recall");
    await page.getByRole("spinbutton", { name: "pairs" }).waitFor();
    assert.equal(await page.getByLabel("offset", { exact: true }).count(), 0);
  }));

for (const scene of ["attention-sink", "emergence", "recall"])
  test(`another task can be chosen in the scene ${scene}, and brings what it needs`, () =>
    visit(`v=1&scene=${scene}&seeds=2&training.steps=60`, async (page) => {
      await trained(page);
      for (const task of ["copy", "recall", "regression", "unigram"]) {
        await page.getByLabel("task", { exact: true }).selectOption(task);
        await runs(page, "data.task", task);
        await trained(page);
        assert.equal(await page.locator(".problem").count(), 0);
      }
      await page.getByText("back to the scene's settings").click();
      await until(page, () => Object.keys(atto.state.value.set).length === 0);
    }));

test("lists and tables are written as TOML, and what is wrong with them is said next to them", () =>
  visit("v=1&scene=blank&seeds=2&training.steps=100", async (page) => {
    await trained(page);
    const group = page.locator(".group", { hasText: "Training" });
    await group.locator("details").evaluate((one) => (one.open = true));
    const rates = group.getByLabel("rates", { exact: true });
    await rates.fill("{ nothing = 0.5 }");
    await rates.press("Tab");
    await group.locator(".wrong").waitFor();
    assert.match(await group.locator(".wrong").innerText(), /nothing/);
    assert.equal(await rates.inputValue(), "{ nothing = 0.5 }");
    assert.equal("training.rates" in (await stateOf(page)).set, false);
    await rates.fill("{ embedding = 0.5 }");
    await rates.press("Tab");
    await until(page, () => atto.study.value?.cells[0]?.config["training.rates"]?.embedding === 0.5);
    assert.equal(await group.locator(".wrong").count(), 0);
    await trained(page);
    const interventions = group.getByLabel("intervention", { exact: true });
    await interventions.fill('[{ step = 50, what = "nonsense" }]');
    await interventions.press("Tab");
    await group.locator(".wrong").waitFor();
  }));

test("every key of the schema has a control somewhere, or is left out for a reason", () =>
  visit("v=1&scene=blank&seeds=2&training.steps=50", async (page) => {
    await trained(page);
    // Shown where it applies, and of any type: so whatever applies is there.
    const missing = await page.evaluate(() => {
      const applies = atto.study.value.cells[0].applies.filter((key) => !["data.file", "network.start_file"].includes(key));
      const shown = new Set([...document.querySelectorAll(".setting [data-key]")].map((one) => one.dataset.key));
      return applies.filter((key) => !shown.has(key));
    });
    assert.deepEqual(missing, []);
  }));

test("two settings are compared on the same seeds", () =>
  visit("v=1&scene=sticky-plateau&seeds=4&training.steps=400", async (page) => {
    await page.getByLabel("Compare with another").selectOption("network.width");
    await until(page, () => atto.study.value?.cells.length === 2);
    await trained(page);
    const keys = await page.evaluate(() => atto.recordings.value.runs.map(({ key }) => `${key.cell}/${key.seed}`).sort());
    assert.deepEqual(
      keys,
      [0, 1].flatMap((cell) => [1, 2, 3, 4].map((seed) => `${cell}/${seed}`)),
    );
    assert.match(await page.locator(".legend").innerText(), /width 2\s+width 3/);
    await page.getByRole("button", { name: "Stop comparing width" }).click();
    await until(page, () => atto.study.value?.cells.length === 1);
  }));

test("what a changed network lacks is left out, and the rest trains", () =>
  visit("v=1&scene=previous-token&seeds=4&training.steps=200&network.positions=none", async (page) => {
    await trained(page);
    assert.match(await told(page), /has no positions, separation, preferred/);
  }));

test("time: pause, step, scrub, newest, replay", () =>
  visit(
    "v=1&scene=sticky-plateau&seeds=4",
    async (page) => {
      await page.getByLabel("pace").selectOption("slow");
      await until(page, () => atto.head.value > 20);
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      await until(page, () => atto.training.value === "paused");
      await page.waitForTimeout(100); // frames that were on their way
      const paused = await page.evaluate(() => atto.head.value);
      await page.getByRole("button", { name: "One measurement forward" }).click();
      await until(page, (from) => atto.head.value > from && atto.training.value === "paused", paused);
      const stepped = await page.evaluate(() => atto.head.value);
      assert.ok(stepped <= paused + 20, `${paused} to ${stepped}`);
      await page.getByRole("button", { name: "One measurement back" }).click();
      const back = (await stateOf(page)).at;
      assert.ok(back !== null && back < stepped);
      await page.getByRole("button", { name: "newest" }).click();
      assert.equal((await stateOf(page)).at, null);
      await page.getByRole("button", { name: "Train", exact: true }).click();
      await page.getByLabel("pace").selectOption("fast");
      await trained(page);
      const scrub = page.getByLabel("Step that is looked at");
      await scrub.fill("1000");
      assert.equal((await stateOf(page)).at, 1000);
      assert.match(await page.locator(".step").innerText(), /step 1,000/);
      await scrub.press("ArrowRight");
      assert.equal((await stateOf(page)).at, 1001);
      // Nothing moves unless asked.
      await page.waitForTimeout(150);
      assert.equal((await stateOf(page)).at, 1001);
      await page.getByRole("button", { name: "replay", exact: true }).click();
      await until(page, () => atto.state.value.at > 100);
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      assert.notEqual((await stateOf(page)).at, null);
    },
    { fast: false },
  ));

test("a seed is named under the pointer and followed by a click, through every view", () =>
  visit("v=1&scene=sticky-plateau&seeds=3&training.steps=500", async (page) => {
    await trained(page);
    const canvas = page.locator(".view-curves canvas");
    const { width } = await canvas.boundingBox();
    // Down a column of the plot until a line is met.
    let seed = null;
    for (let y = 30; y < 300 && seed === null; y += 6) {
      await canvas.hover({ position: { x: width * 0.4, y } });
      seed = await page.evaluate(() => atto.hovered.value?.seed ?? null);
      if (seed !== null) await canvas.click({ position: { x: width * 0.4, y } });
    }
    assert.ok([1, 2, 3].includes(seed));
    assert.equal((await stateOf(page)).follow, seed);
    assert.match(await page.locator(".view-attention .hint").innerText(), new RegExp(`seed ${seed}`));
    await page.getByLabel("follow").selectOption("2");
    assert.equal((await stateOf(page)).follow, 2);
    await page.getByRole("button", { name: "all seeds" }).click();
    await page.locator(".view-embedding canvas").click({ position: { x: 20, y: 40 } });
    assert.equal((await stateOf(page)).follow, 1);
  }));

test("zoom is asked for by dragging or by keys, and taken back", () =>
  visit("v=1&scene=blank&seeds=2&training.steps=300", async (page) => {
    await trained(page);
    const canvas = page.locator(".view-curves canvas");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 120, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 150, { steps: 4 });
    await page.mouse.up();
    const [from, to] = await page.evaluate(() => atto.zoom.value);
    assert.ok(from > 0 && to < 300 && to > from);
    await page.getByRole("button", { name: "show all steps" }).click();
    assert.equal(await page.evaluate(() => atto.zoom.value), null);
    await canvas.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("+");
    assert.notEqual(await page.evaluate(() => atto.zoom.value), null);
    await page.keyboard.press("0");
    assert.equal(await page.evaluate(() => atto.zoom.value), null);
  }));

test("the plane fills cell by cell, and a cell shows its runs", () =>
  visit(
    "v=1&scene=blank&training.steps=300&training.batch=32&tab=plane&x=network.width%3A%201%2C%203&y=data.vocab%3A%204%2C%208&share=learnt.emerged",
    async (page) => {
      await page.getByRole("button", { name: "Paint", exact: true }).click();
      await until(page, () => atto.painting.value?.cells.every(({ runs }) => runs >= 6));
      await page.locator(".view-phase-diagram canvas").click({ position: { x: 90, y: 60 } });
      await until(
        page,
        () => atto.study.value?.cells.length === 1 && atto.recordings.value.ended && atto.recordings.value.runs.length >= 6,
      );
      await page.locator(".view-curves").waitFor();
      assert.equal(await page.evaluate(() => atto.study.value.cells[0].config["network.width"]), 1);
      await page.getByRole("button", { name: "Watch", exact: true }).click();
      await trained(page);
    },
    { fast: false },
  ));

test("of settings that change while a study is being opened, the last one trains", () =>
  visit(
    "v=1&scene=blank&seeds=2&training.steps=100",
    async (page) => {
      await trained(page);
      await page.evaluate(() => (window.held = []));
      const width = page.getByRole("spinbutton", { name: "width" });
      await width.press("ArrowUp");
      await until(page, () => window.held.length > 0);
      const workers = await page.evaluate(() => window.held.length);
      await width.press("ArrowUp");
      await until(page, (count) => window.held.length === 2 * count, workers);
      // Both openings reach the Workers before the page hears of the first, which it then gives up.
      await page.evaluate(() => {
        const held = window.held;
        window.held = null;
        for (const send of held) send();
      });
      await runs(page, "network.width", "4");
      await trained(page);
    },
    {
      before: () => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (...message) {
          if (message[0].kind === "open" && window.held) window.held.push(() => postMessage.apply(this, message));
          else postMessage.apply(this, message);
        };
      },
    },
  ));

test("painting that is stopped within a cell goes on with whole runs, and ends when another scene is chosen", () =>
  visit(
    "v=1&scene=blank&training.steps=20000&training.batch=32&tab=plane&x=network.width%3A%201%2C%203&y=data.vocab%3A%204%2C%208&share=learnt.emerged",
    async (page) => {
      const someRun = () => atto.painting.value?.recordings.runs.find((run) => run.step > 0 && !run.finished);
      await page.getByRole("button", { name: "Paint", exact: true }).click();
      await until(page, someRun);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await page.getByRole("button", { name: "Go on", exact: true }).click();
      await until(page, someRun);
      const ordered = await page.evaluate(() =>
        atto.painting.value.recordings.runs.every((run) =>
          [...run.tracks.values()].every((track) => Array.from({ length: track.length }, (_, i) => track.step(i)).every((step, i, all) => i === 0 || step > all[i - 1])),
        ),
      );
      assert.ok(ordered, "a run was recorded twice");
      await page.getByRole("link", { name: "Branching" }).click();
      await until(page, () => atto.study.value?.title === "Branching embeddings" && atto.head.value > 0);
      await page.getByRole("button", { name: "Phase diagram" }).click();
      await page.getByRole("button", { name: "Paint", exact: true }).waitFor();
    },
    { fast: false },
  ));

test("both ends of a region count when they change before the next drawing", () =>
  visit("v=1&scene=sticky-plateau&seeds=4", async (page) => {
    await page.getByRole("button", { name: "Make a claim of your own" }).click();
    await page.getByLabel("Lower end of the region").waitFor();
    const region = await page.evaluate(() => {
      for (const [end, value] of [["Lower", "4"], ["Upper", "6"]]) {
        const input = document.querySelector(`[aria-label="${end} end of the region"]`);
        input.value = value;
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }
      return [atto.state.value.claim.low, atto.state.value.claim.high];
    });
    assert.deepEqual(region, [4, 6]);
  }));

test("a claim is put together from slots and judged", () =>
  visit("v=1&scene=sticky-plateau&seeds=12", async (page) => {
    await trained(page);
    await page.getByRole("button", { name: "Make a claim of your own" }).click();
    await page.getByLabel("Quantity").selectOption("plateau.level");
    await page.getByLabel("Lower end of the region").fill("4");
    await page.getByLabel("Upper end of the region").fill("6");
    await page.keyboard.press("Tab");
    const judged = async () => {
      await until(
        page,
        () => atto.training.value === "ended" && atto.judgement.value?.complete && atto.judgement.value.verdicts.at(-1).claim === "yours",
      );
      return page.evaluate(() => atto.judgement.value.verdicts.at(-1));
    };
    await until(page, () => atto.study.value.claims.at(-1).region[1] === 6);
    const median = await judged();
    assert.deepEqual(median.region, [4, 6]);
    assert.equal(median.statistic, "median");
    assert.match(await page.locator(".verdicts").innerText(), /The median of plateau\.level is 4 to 6/);
    await page.getByLabel("Quantity").selectOption("plateau.present");
    await page.getByLabel("Lower end of the region").fill("0");
    await page.getByLabel("Upper end of the region").fill("0.3");
    await page.keyboard.press("Tab");
    await until(page, () => atto.study.value.claims.at(-1).region[1] === 0.3);
    const rate = await judged();
    assert.equal(rate.statistic, "rate");
    assert.equal(rate.verdict, "refuted");
    assert.match(await page.locator(".verdicts").innerText(), /refuted/);
  }));

test("the link restores the state, and the back button goes back", () =>
  visit("v=1&scene=branching&seeds=3&training.steps=200&follow=2", async (page) => {
    await trained(page);
    await page.getByRole("spinbutton", { name: "vocab" }).press("ArrowUp");
    await runs(page, "data.vocab", "5");
    await page.getByRole("link", { name: "Sinks" }).click();
    await until(page, () => atto.study.value?.title === "Attention sinks");
    await page.goBack();
    await runs(page, "data.vocab", "5");
    assert.equal((await stateOf(page)).follow, 2);
    await page.goBack();
    await runs(page, "data.vocab", "4");
    await page.goForward();
    await runs(page, "data.vocab", "5");
    const state = await stateOf(page);
    await page.getByRole("button", { name: "Share" }).click();
    const link = await page.getByLabel("Link, to copy").inputValue();
    assert.match(link, /engine=\d+/);
    await visit(link.slice(link.indexOf("#") + 1), async (other) => {
      assert.deepEqual(await stateOf(other), state);
    });
  }));

test("the state is there as TOML, Python and a command, and views as SVG and PNG", () =>
  visit("v=1&scene=blank&seeds=2&training.steps=100&network.width=3", async (page) => {
    await trained(page);
    await page.getByRole("button", { name: "Share" }).click();
    const texts = {};
    for (const form of ["TOML", "Python", "Command"]) {
      await page.getByRole("button", { name: form, exact: true }).click();
      texts[form] = await page.getByLabel(`${form}, to copy`).inputValue();
    }
    assert.match(texts.TOML, /\[network\]\nwidth = 3[\s\S]*\[seeds\]\ncount = 2/);
    assert.match(texts.Python, /Study\.from_toml\([\s\S]*width = 3/);
    assert.match(texts.Command, /width = 3[\s\S]*atto run study\.toml/);
    await page.getByRole("button", { name: "Close" }).click();
    for (const [name, begins] of [
      ["SVG", "<svg"],
      ["PNG", "\u0089PNG"],
    ]) {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: `Save Perplexity over training as ${name}` }).click();
      const file = await (await waiting).path();
      assert.ok(readFileSync(file).toString("latin1").startsWith(begins));
    }
  }));

for (const [what, fragment, message] of [
  ["unknown keys", "v=1&scene=blank&seeds=2&training.steps=100&network.colour=1&flavour=2", /flavour[\s\S]*network\.colour/],
  ["a billion seeds", "v=1&scene=blank&seeds=1000000000&training.steps=50", /at most 256/],
])
  test(`a link with ${what} is opened, and the page says what it did`, () =>
    visit(fragment, async (page) => {
      await trained(page);
      assert.match(await told(page), message);
    }));

test("sizes beyond memory are refused in words, and the page goes on", () =>
  visit("v=1&scene=blank&seeds=2&data.vocab=65536&data.context=100000&network.width=1024", async (page) => {
    await page.locator(".problem").waitFor();
    assert.ok((await told(page)).length > 20);
    await page.getByRole("link", { name: "Branching" }).click();
    await until(page, () => atto.study.value?.title === "Branching embeddings" && atto.head.value > 0);
    assert.equal(await page.locator(".problem").count(), 0);
  }));

test("a browser without vector instructions is told so", () =>
  visit(
    "v=1&scene=blank",
    async (page) => {
      assert.match(await told(page), /no WebAssembly with vector instructions[\s\S]*atto serve/);
      assert.match(await page.locator("nav").innerText(), /Branching/);
    },
    { fast: false, before: () => (WebAssembly.validate = () => false) },
  ));

test("a Worker that dies is told of and replaced", () =>
  visit(
    "v=1&scene=blank&seeds=4&training.steps=200",
    async (page) => {
      await page.locator(".problem").waitFor();
      assert.match(await told(page), /stopped in one Worker.*memory/);
      await page.evaluate(() => (window.breakWorkers = false));
      await page.getByRole("link", { name: "Branching" }).click();
      await trained(page);
    },
    {
      before: () => {
        window.breakWorkers = true;
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.kind === "go" && message.going && window.breakWorkers) this.onerror(new Event("error"));
          else postMessage.call(this, message, ...rest);
        };
      },
    },
  ));

test("a Worker that runs out of memory says so, and the next scene trains", async () => {
  // The engine believes that it has 2 GB; this browser gives it 32 MB, so that memory ends in the middle of a training.
  const small = await startBrowser("--js-flags=--wasm-max-mem-pages=512");
  try {
    const heavy = "v=1&scene=blank&seeds=64&data.vocab=2000&network.width=8&training.batch=16&training.steps=400";
    await visit(
      heavy,
      async (page) => {
        await page.locator(".problem").waitFor({ timeout: 120_000 });
        assert.match(await told(page), /memory/);
        assert.match(await told(page), /fewer seeds|smaller/);
        await page.getByRole("link", { name: "Branching" }).click();
        await until(page, () => atto.study.value?.title === "Branching embeddings");
        await trained(page);
        assert.equal(await page.locator(".problem").count(), 0);
      },
      { browser: small },
    );
  } finally {
    await small.close();
  }
});

test("a tab in the background trains on", () =>
  visit("v=1&scene=blank&seeds=4&training.steps=300", async (page) => {
    await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }));
    await page.getByLabel("networks").fill("5");
    await page.keyboard.press("Enter");
    await until(page, () => atto.recordings.value.runs.length === 5);
    await trained(page);
  }));
