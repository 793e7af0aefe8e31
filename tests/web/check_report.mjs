// Checks a report in a browser, whatever is in it.
// usage: node check_report.mjs REPORT.html    prints what is wrong and ends with 1 if anything is
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { axeProblems } from "./accessible.mjs";
import { openPage, withBrowser } from "./browser.mjs";
import { gifSize, pngSize, svgProblems } from "./files.mjs";
import { badLabels, faintTexts, figureStates, installColours, sidewaysScroll } from "./in_page.mjs";

const MOST_BYTES = 8_000_000; // of a report, so that it can be sent by mail
const MOST_MARKS = 10_000;
const LEAST_CONTRAST = 4.5;
const MOST_GIF_BYTES = 3_000_000;
// Opening a page is what takes time: each is opened once, in the first of its themes, and then told of the other.
const VIEWS = [
  { width: 1200, themes: ["light", "dark"] },
  { width: 360, themes: ["dark", "light"] },
];

/** Every figure is drawn, fits, and holds no more marks than a browser shows quickly. */
async function checkFigures(page) {
  const states = await page.evaluate(figureStates);
  return states.flatMap(({ id, failure, drawn, excess, marks, statedMarks }) => [
    ...(failure ? [`${id}: ${failure}`] : []),
    ...(drawn ? [] : [`${id}: nothing drawn`]),
    ...(excess > 1 ? [`${id}: ${excess.toFixed(0)} px wider than its place`] : []),
    ...(Math.max(marks, statedMarks ?? 0) > MOST_MARKS ? [`${id}: ${marks} marks, ${statedMarks} stated`] : []),
  ]);
}

// Chromium drops every download of a frame past ten within a second, without a word.
const MOST_DOWNLOADS = 10;
const DOWNLOADS_WINDOW = 1_050; // ms
const arrivals = new WeakMap(); // page → when its last downloads had come

/** Clicks as a reader would, no faster than the browser lets through. */
async function saved(page, id, format) {
  const times = arrivals.get(page) ?? [];
  arrivals.set(page, times);
  const early = times.length < MOST_DOWNLOADS ? 0 : times.shift() + DOWNLOADS_WINDOW - performance.now();
  if (early > 0) await page.waitForTimeout(early);
  const waiting = page.waitForEvent("download", { timeout: 120_000 });
  await Promise.all([waiting, page.locator(`[id="${id}"] button.save[data-format="${format}"]:enabled`).click()]);
  times.push(performance.now());
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

const CHECKS_OF_FILES = {
  svg: async (page, bytes) => svgProblems(page, bytes.toString("utf8")),
  png: async (_, bytes) => {
    const { width, height } = pngSize(bytes);
    return Math.min(width, height) >= 100 && Math.max(width, height) <= 10_000 ? [] : [`${width} x ${height} px`];
  },
  json: async (_, bytes, { name }) => [
    ...(name.endsWith(".vl.json") ? [] : ["not called NAME.vl.json, as by the program"]),
    ...(JSON.parse(bytes.toString("utf8")).config ? [] : ["no look in the spec"]),
  ],
  gif: async (_, bytes, { frames }) => {
    const size = gifSize(bytes);
    return [
      ...(size.frames === frames ? [] : [`${size.frames} frames instead of ${frames}`]),
      ...(size.width >= 480 && size.width <= 640 ? [] : [`${size.width} px wide`]),
      ...(bytes.length <= MOST_GIF_BYTES ? [] : [`${bytes.length} bytes`]),
    ];
  },
};

async function checkFiles(page, state) {
  const problems = [];
  for (const format of state.frames ? ["svg", "png", "json", "gif"] : ["svg", "png", "json"]) {
    try {
      const { name, bytes } = await saved(page, state.id, format);
      const wrong = await CHECKS_OF_FILES[format](page, bytes, { ...state, name });
      problems.push(...wrong.map((problem) => `${state.id}: ${name}: ${problem}`));
    } catch (error) {
      problems.push(`${state.id}: ${format}: ${error.message}`);
    }
  }
  return problems;
}

/** The slider follows the keyboard, the picture follows the slider, and the button plays on from there. */
async function checkFrames(page, { id, frames }) {
  const look = () =>
    page.evaluate(async (wanted) => {
      const { view, spec, place } = window.atto.figures.find(({ element }) => element.id === wanted);
      await view.runAsync(); // what was asked for is drawn
      const canvas = place.querySelector("canvas");
      return { frame: view.signal(spec.usermeta.atto.frames.param), picture: canvas ? canvas.toDataURL() : place.innerHTML };
    }, id);
  const reaches = (least) =>
    page.waitForFunction(
      ([wanted, frame]) => {
        const { view, spec } = window.atto.figures.find(({ element }) => element.id === wanted);
        return view.signal(spec.usermeta.atto.frames.param) >= frame;
      },
      [id, least],
    );
  const figure = page.locator(`[id="${id}"]`);
  const start = await look();
  await figure.locator(".frames input").focus();
  await page.keyboard.press("Home");
  const first = await look();
  await figure.locator(".play").click();
  await reaches(Math.min(2, frames - 1)).catch(() => {});
  const later = await look(); // while it plays: where a click comes after the last frame, it plays from the first again
  await figure.locator(".frames input").press("Home");
  return [
    ...(start.frame === frames - 1 ? [] : [`${id}: starts at frame ${start.frame}`]),
    ...(first.frame === 0 ? [] : [`${id}: the slider does not move to the first frame`]),
    ...(first.picture !== start.picture ? [] : [`${id}: the slider does not change the picture`]),
    ...(later.frame > 0 && later.picture !== first.picture ? [] : [`${id}: play does not move`]),
  ];
}

/** What is wrong with the report at `path`, one line each; `note` is told what is measured. */
export async function checkReport(browser, path, note = () => {}) {
  const { size } = await stat(path);
  note(`${(size / 1e6).toFixed(1)} MB`);
  const problems = size < MOST_BYTES ? [] : [`${size} bytes, more than ${MOST_BYTES}`];
  for (const { width, themes } of VIEWS) {
    const { page, said } = await openPage(browser, path, { width, theme: themes[0] });
    await page.evaluate(installColours);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      const found = await checkFigures(page);
      for (const check of [faintTexts, badLabels, sidewaysScroll]) found.push(...(await page.evaluate(check, LEAST_CONTRAST)));
      found.push(...(await axeProblems(page)));
      if (width === VIEWS[0].width && theme === themes[0]) {
        const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
        note(`first paint after ${paint?.toFixed(0)} ms`);
        for (const state of await page.evaluate(figureStates)) {
          if (state.failure || state.again) continue;
          if (state.frames) found.push(...(await checkFrames(page, state)));
          found.push(...(await checkFiles(page, state)));
        }
      }
      problems.push(...[...new Set([...said.splice(0), ...found])].map((problem) => `${width} px, ${theme}: ${problem}`));
    }
    await page.close();
  }
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = await withBrowser((browser) => checkReport(browser, process.argv[2], console.log));
  for (const problem of problems) console.log(problem);
  console.log(problems.length ? `${problems.length} problems` : "no problems");
  process.exitCode = problems.length ? 1 : 0;
}
