// The page of a report in a browser, on a report made by hand.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, withBrowser } from "./browser.mjs";
import { checkReport } from "./check_report.mjs";
import { body, emptyFigure, figure, writePage } from "./fixture.mjs";
import { curves, law, maps, trajectory } from "./specs.mjs";

const LIGHT = "rgb(255, 255, 255)"; // the papers of web/report/look.json
const DARK = "rgb(21, 24, 28)";

const folder = mkdtempSync(join(tmpdir(), "atto-report-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const good = join(folder, "good.html");
writePage(
  good,
  body({
    sticky:
      emptyFigure("study-sticky--empty", "third") +
      figure("study-sticky--curves", "full", curves()) +
      figure("study-sticky--trajectory", "half", trajectory()) +
      figure("study-sticky--maps", "half", maps()),
    law: figure("study-law--fit", "third", law()) + figure("study-law--fit-2", "third", law()) + figure("study-law--fit-3", "third", law()),
  }),
);

test("a report", (t) =>
  withBrowser(async (browser) => {
    await t.test("passes every check of a report", async () => {
      assert.deepEqual(await checkReport(browser, good, (line) => t.diagnostic(line)), []);
    });

    await t.test("draws figures only when they come near", async () => {
      const { page } = await openPage(browser, good, { width: 360, height: 600 });
      const drawn = () => page.evaluate(() => window.atto.figures.map(({ view }) => Boolean(view)));
      assert.equal((await drawn()).at(-1), false);
      await page.locator("figure").last().scrollIntoViewIfNeeded();
      await page.waitForFunction(() => window.atto.figures.at(-1).view);
      await page.close();
    });

    await t.test("keeps what the reader set when theme and width change", async () => {
      const { page, said } = await openPage(browser, good);
      await page.evaluate(() => window.atto.renderAll());
      const state = () =>
        page.evaluate(() => {
          const named = (name) => window.atto.figures.find(({ element }) => element.id === `study-sticky--${name}`);
          const [curves, trajectory] = [named("curves"), named("trajectory")];
          const paper = ({ place }) => place.firstElementChild.style.backgroundColor;
          return {
            ...{ seeds: curves.view.signal("seeds"), frame: trajectory.view.signal("frame") },
            ...{ paper: paper(curves), width: curves.place.firstElementChild.clientWidth },
          };
        });
      await page.getByLabel("every seed").check();
      await page.locator("[id='study-sticky--trajectory'] .frames input").fill("7");
      const before = await state();
      assert.deepEqual([before.seeds, before.frame, before.paper], [true, 7, LIGHT]);
      await page.locator("#theme").click();
      await page.setViewportSize({ width: 500, height: 800 });
      await page.waitForFunction(
        (width) => document.querySelector("[id='study-sticky--curves'] .view").firstElementChild?.clientWidth < width,
        before.width - 200,
      );
      await page.evaluate(() => window.atto.renderAll());
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), DARK);
      const { seeds, frame, paper } = await state();
      assert.deepEqual([seeds, frame, paper], [true, 7, DARK]);
      // A reload may take another process of the browser, which on a busy machine learns only a moment later what was stored.
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      await page.reload();
      for (let again = 0; again < 20 && (await theme()) !== "dark"; ++again) await page.reload();
      assert.equal(await theme(), "dark");
      assert.deepEqual(said, []);
      await page.close();
    });

    await t.test("prints all figures, in light", async () => {
      const { page } = await openPage(browser, good, { theme: "dark" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.evaluate(() => window.atto.renderAll());
      const papers = () => page.evaluate(() => [...document.querySelectorAll(".view svg")].map(({ style }) => style.backgroundColor));
      assert.deepEqual(await papers(), Array(7).fill(LIGHT));
      const pagePaper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(await pagePaper(), DARK);
      await page.emulateMedia({ media: "print" });
      assert.equal(await pagePaper(), LIGHT);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.evaluate(() => window.atto.renderAll());
      assert.deepEqual(await papers(), Array(7).fill(DARK));
      await page.close();
    });

    await t.test("narrows its claims, and each leads to its figure", async () => {
      const { page } = await openPage(browser, good);
      const rows = page.locator("table.claims tr:has(.verdict):visible");
      assert.equal(await rows.count(), 6);
      await page.getByRole("button", { name: "refuted 2" }).click();
      assert.equal(await rows.count(), 2);
      await page.getByRole("searchbox").fill("LAW plateau");
      assert.equal(await rows.count(), 1);
      assert.equal(await page.locator("table.claims tr.study:visible").count(), 1);
      await page.locator("table.claims").getByRole("link", { name: "S1-law-refuted" }).click();
      await page.waitForFunction(() => document.querySelector("figure:target")?.id === "study-law--fit");
      await page.close();
    });

    await t.test("names the claim of a mark, by pointer and by keyboard, and leads to it", async () => {
      const { page, said } = await openPage(browser, good);
      const name = page.locator("#answer-sticky .strip-name");
      const idle = await name.textContent();
      await page.locator("#answer-sticky .strip .refuted").hover();
      assert.match(await name.textContent(), /^S1-sticky-refuted: .*: refuted$/s);
      await page.mouse.move(0, 0);
      assert.equal(await name.textContent(), idle);
      const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
      await page.locator("#answer-sticky .strip .supported").focus();
      await page.keyboard.press("ArrowRight");
      assert.match(await focused(), /sticky-refuted/);
      await page.keyboard.press("End");
      assert.match(await name.textContent(), /^S1-sticky-inconclusive/);
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.closest(".strip")), null, "a strip is one stop of the Tab key");
      // Also to a claim that is filtered away.
      await page.getByRole("button", { name: "supported 2", exact: true }).click();
      await page.locator("#answer-sticky .strip .refuted").click();
      await page.waitForFunction(() => document.querySelector("tr:target")?.checkVisibility());
      assert.match(await page.locator("tr:target").getAttribute("id"), /sticky-refuted/);
      assert.deepEqual(said, []);
      await page.close();
    });

    await t.test("stays where it is while it is drawn", async () => {
      const { page } = await openPage(browser, good, { width: 360, height: 800 });
      const shift = await page.evaluate(async () => {
        let sum = 0;
        const add = (entries) => entries.forEach(({ value, hadRecentInput }) => (sum += hadRecentInput ? 0 : value));
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        await window.atto.renderAll();
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        add(observer.takeRecords());
        return sum;
      });
      assert.ok(shift < 0.1, `layout shift ${shift}`); // what "good" means for the Web Vitals
      await page.close();
    });

    await t.test("leaves a figure with nothing to draw as it is", async () => {
      const { page, said } = await openPage(browser, good);
      await page.evaluate(() => window.atto.renderAll());
      const empty = page.locator("[id='study-sticky--empty']");
      assert.equal(await empty.innerText(), "study-sticky--empty\n\nno run has come to an end");
      assert.equal(await page.locator(".view svg, .view canvas").count(), 8);
      assert.deepEqual(said, []);
      await page.close();
    });

    await t.test("is no job of the command line because something in it is called like one", async () => {
      const named = join(folder, "named.html");
      writePage(named, `<section id="render-job">${figure("study-law--fit", "full", law())}</section>`);
      const { page, said } = await openPage(browser, named);
      await page.evaluate(() => window.atto.renderAll());
      assert.equal(await page.locator(".view svg").count(), 1);
      assert.deepEqual(said, []);
      await page.close();
    });

    await t.test("says which figure cannot be drawn and draws the others", async () => {
      const bad = join(folder, "bad.html");
      const broken = { ...law(), vconcat: [{ mark: "no such mark" }] };
      const placeless = figure("study-bad--two", "full", law()).replace(/<div class="view".*<\/div>/, "");
      writePage(bad, body({ bad: figure("study-bad--one", "full", broken) + placeless, good: figure("study-good--one", "full", law()) }));
      const { page, said } = await openPage(browser, bad);
      await page.evaluate(() => window.atto.renderAll());
      for (const name of ["one", "two"]) {
        assert.match(await page.locator(`[id='study-bad--${name}'] .view`).textContent(), /this figure could not be drawn: .+/);
      }
      assert.equal(await page.locator("[id='study-good--one'] .view svg").count(), 1);
      assert.ok(said.some((line) => line.startsWith("console error: study-bad--one:")), said.join("\n"));
      await page.close();
    });
  }));
