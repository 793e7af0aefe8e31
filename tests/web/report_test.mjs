// The page of a report in a browser, on a report made by hand.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, withBrowser } from "./browser.mjs";
import { checkReport } from "./check_report.mjs";
import { body, figure, writePage } from "./fixture.mjs";
import { curves, law, maps, trajectory } from "./specs.mjs";

const LIGHT = "rgb(255, 255, 255)"; // the papers of web/look.json
const DARK = "rgb(21, 24, 28)";

const folder = mkdtempSync(join(tmpdir(), "atto-report-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const good = join(folder, "good.html");
writePage(
  good,
  body({
    sticky:
      figure("sticky--curves", "full", curves()) +
      figure("sticky--trajectory", "half", trajectory()) +
      figure("sticky--maps", "half", maps()),
    law: figure("law--fit", "third", law()) + figure("law--fit-2", "third", law()) + figure("law--fit-3", "third", law()),
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
          const [curves, trajectory] = window.atto.figures;
          const paper = ({ place }) => place.firstElementChild.style.backgroundColor;
          return {
            ...{ seeds: curves.view.signal("seeds"), frame: trajectory.view.signal("frame") },
            ...{ paper: paper(curves), width: curves.place.firstElementChild.clientWidth },
          };
        });
      await page.getByLabel("every seed").check();
      await page.locator("[id='sticky--trajectory'] .frames input").fill("7");
      const before = await state();
      assert.deepEqual([before.seeds, before.frame, before.paper], [true, 7, LIGHT]);
      await page.locator("#theme").click();
      await page.setViewportSize({ width: 500, height: 800 });
      await page.waitForFunction((width) => window.atto.figures[0].place.firstElementChild?.clientWidth < width, before.width - 200);
      await page.evaluate(() => window.atto.renderAll());
      const { seeds, frame, paper } = await state();
      assert.deepEqual([seeds, frame, paper], [true, 7, DARK]);
      await page.reload();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      assert.deepEqual(said, []);
      await page.close();
    });

    await t.test("prints all figures, in light", async () => {
      const { page } = await openPage(browser, good, { theme: "dark" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.evaluate(() => window.atto.renderAll());
      const papers = () => page.evaluate(() => [...document.querySelectorAll(".view svg")].map(({ style }) => style.backgroundColor));
      assert.deepEqual(await papers(), Array(5).fill(LIGHT));
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.evaluate(() => window.atto.renderAll());
      assert.deepEqual(await papers(), Array(5).fill(DARK));
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
      await page.getByRole("link", { name: "S1-law-refuted" }).click();
      await page.waitForFunction(() => document.querySelector("figure:target")?.id === "law--fit");
      await page.close();
    });

    await t.test("says which figure cannot be drawn and draws the others", async () => {
      const bad = join(folder, "bad.html");
      const broken = { ...law(), vconcat: [{ mark: "no such mark" }] };
      writePage(bad, body({ bad: figure("bad--one", "full", broken), good: figure("good--one", "full", law()) }));
      const { page, said } = await openPage(browser, bad);
      await page.evaluate(() => window.atto.renderAll());
      assert.match(await page.locator("[id='bad--one'] .view").textContent(), /this figure could not be drawn: .+/);
      assert.equal(await page.locator("[id='good--one'] .view svg").count(), 1);
      assert.ok(said.some((line) => line.startsWith("console error: bad--one:")), said.join("\n"));
      await page.close();
    });
  }));
