// What the playground costs, in Chromium: time to the first training on screen, the engine's speed against native, frames a second
// with 64 seeds, what drawing takes from training, and how soon the page answers a hand. One table; about a minute.
// usage: node bench/page/speed.mjs [build/page/index.html]    wants a machine that does nothing else
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openPage, withBrowser } from "../../tests/web/browser.mjs";
import { CASES, Native, PROGRAM, speedStudy, Total } from "./native.mjs";

const FILE = process.argv[2] ?? fileURLToPath(new URL("../../build/page/index.html", import.meta.url));
const LOADS = 7;
const ROUNDS = 6; // of the engine here and there
const SLICE = 700; // milliseconds of each
const SECONDS = 3; // of drawing, and of not drawing
const TICK = 10; // milliseconds in which the system counts processor time
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const rows = [];
const report = (what, measured, goal = "", reached = null) => rows.push([what, measured, goal, reached === null ? "" : reached ? "yes" : "NO"]);

/** From the load to the first frame with training in it, by the page's own clock. */
async function firstTraining(browser) {
  const times = [];
  const compiled = [];
  for (let i = 0; i < LOADS; i++) {
    const { page } = await openPage(browser, FILE, { fragment: "v=1&scene=sticky-plateau" });
    await page.waitForFunction(() => performance.getEntriesByName("training on screen").length > 0);
    const marks = await page.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime])));
    times.push(marks["training on screen"]);
    compiled.push(marks["engine compiled"]);
    await page.close();
  }
  const first = median(times);
  report("first training on screen after load", `${Math.round(first)} ms (engine compiled at ${Math.round(median(compiled))} ms)`, "< 1,000 ms", first < 1000);
}

/** Processor time of the Workers of a browser's pages so far, in milliseconds. */
function workerTime(processes) {
  let ticks = 0;
  for (const { id } of processes)
    for (const task of existsSync(`/proc/${id}/task`) ? readdirSync(`/proc/${id}/task`) : []) {
      const stat = readFileSync(`/proc/${id}/task/${task}/stat`, "utf8");
      if (!stat.includes("(DedicatedWorker")) continue;
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    }
  return ticks * TICK;
}

/** Steps of one run in the page against native ones, in turns. */
async function againstNative(browser) {
  if (!existsSync(PROGRAM)) return report("engine against native", `there is no ${PROGRAM}`);
  const native = new Native();
  const system = await browser.newBrowserCDPSession();
  const code = Buffer.from(speedStudy()).toString("base64url");
  for (const { name, set, goal } of CASES) {
    const { page } = await openPage(browser, FILE, { fragment: `v=1&study=${code}&${set.join("&")}` });
    await page.getByLabel("pace").selectOption("fast");
    await page.evaluate(() => (document.querySelector("main").style.display = "none"));
    await page.waitForFunction(() => atto.effort.steps > 2000);
    const pages = (await system.send("SystemInfo.getProcessInfo")).processInfo.filter(({ type }) => type === "renderer");
    const now = async () => ({ steps: await page.evaluate(() => atto.effort.steps), cpu_ms: workerTime(pages) });
    const toggle = () => page.evaluate(() => document.querySelector(".play").click());
    const [here, there] = [new Total(), new Total()];
    await native.stepsIn(set, SLICE);
    for (let round = 0; round < ROUNDS; round++) {
      const from = await now();
      await wait(SLICE);
      const to = await now();
      here.add({ steps: to.steps - from.steps, cpu_ms: to.cpu_ms - from.cpu_ms });
      await toggle();
      there.add(await native.stepsIn(set, SLICE));
      await toggle();
      await wait(100);
    }
    const ratio = here.micros / there.micros;
    report(
      `engine, ${name}`,
      `1/${ratio.toFixed(1)} of native (${here.micros.toFixed(1)} and ${there.micros.toFixed(2)} µs a step)`,
      goal === null ? "" : `1/${1 / goal}`,
      goal === null ? null : ratio <= 1 / goal,
    );
    await page.close();
  }
  native.end();
}

/** Steps of training and frames on screen, a second, over some seconds. */
const rates = (page) =>
  page.evaluate(async (seconds) => {
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const now = () => ({ at: performance.now(), steps: atto.effort.steps, frames: atto.painted.frames, drawing: atto.painted.milliseconds });
    await pause(500);
    const from = now();
    await pause(1000 * seconds);
    const to = now();
    const time = (to.at - from.at) / 1000;
    return {
      steps: (to.steps - from.steps) / time,
      frames: (to.frames - from.frames) / time,
      drawing: (to.drawing - from.drawing) / time / 1000,
    };
  }, SECONDS);

async function drawing(browser) {
  const fragment = "v=1&scene=sticky-plateau&seeds=64&training.steps=100000&data.vocab=100&training.batch=512";
  const { page } = await openPage(browser, FILE, { fragment });
  await page.getByLabel("pace").selectOption("fast");
  await page.waitForFunction(() => atto.head.value > 0);
  const show = (on) => page.evaluate((visible) => (document.querySelector("main").style.display = visible ? "" : "none"), on);
  // In turns, so that a machine that gets busier meets both alike.
  const drawn = [];
  const hidden = [];
  for (let i = 0; i < 4; i++) {
    await show(true);
    drawn.push(await rates(page));
    await show(false);
    hidden.push(await rates(page));
  }
  await show(true);
  const middle = (list, what) => median(list.map((one) => one[what]));
  const frames = middle(drawn, "frames");
  const kept = middle(drawn, "steps") / middle(hidden, "steps");
  report("64 seeds: frames on screen", `${frames.toFixed(1)} a second (${(100 * middle(drawn, "drawing")).toFixed(0)} % of a core draws)`, "≥ 30", frames >= 30);
  report("64 seeds: speed that training keeps", `${(100 * kept).toFixed(0)} % (${Math.round(middle(drawn, "steps"))} steps a second)`, "≥ 80 %", kept >= 0.8);
  await answers(page);
  await page.close();
}

/** From a hand's move to the next frame, while all of that trains. */
async function answers(page) {
  const took = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 40; i++) {
      const from = performance.now();
      document.querySelector(".scrub").dispatchEvent(new Event("input", { bubbles: true }));
      document.querySelector(".play").click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 37));
    }
    return times.sort((a, b) => a - b);
  });
  const late = took[Math.floor(0.95 * took.length)];
  report("64 seeds: answer to a hand", `${median(took).toFixed(0)} ms (95 % within ${late.toFixed(0)} ms)`, "< 50 ms", late < 50);
}

function printTable() {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of [["what", "measured", "goal", "reached"], ...rows]) console.log(row.map((text, i) => text.padEnd(widths[i])).join("  ").trimEnd());
}

await withBrowser(async (browser) => {
  await firstTraining(browser);
  await againstNative(browser);
  await drawing(browser);
});
printTable();
