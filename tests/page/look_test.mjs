// How the page looks and reads: names and contrast by axe-core, on a desk and on a phone, light and dark; nothing shifts while it trains.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../web/browser.mjs";
import { FILE } from "./built_page.mjs";

const AXE = readFileSync(createRequire(new URL("../../web/package.json", import.meta.url)).resolve("axe-core/axe.min.js"), "utf8");

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const SIZES = { desk: { width: 1400, height: 900 }, phone: { width: 390, height: 800 } };

for (const theme of ["light", "dark"])
  for (const [device, size] of Object.entries(SIZES))
    for (const tab of ["watch", "plane"])
      test(`names and contrast: ${tab}, ${device}, ${theme}`, async () => {
        const fragment = `v=1&scene=sticky-plateau&seeds=4&training.steps=200&vs.network.width=3&tab=${tab}`;
        const { page, said } = await openPage(browser, FILE, { ...size, theme, fragment });
        if (tab === "watch") await page.waitForFunction(() => atto.judgement.value?.complete, undefined, { timeout: 180_000 });
        else await page.getByRole("button", { name: "Paint", exact: true }).waitFor();
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() =>
          axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"] }),
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`),
          [],
        );
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${wide} pixels beyond the screen`);
        assert.deepEqual(said, []);
        await page.close();
      });

test("nothing shifts while it trains", async () => {
  const { page } = await openPage(browser, FILE, { fragment: "v=1&scene=sticky-plateau&seeds=8&training.steps=600" });
  await page.waitForFunction(() => atto.head.value > 0);
  await page.evaluate(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
    }).observe({ type: "layout-shift" });
  });
  await page.getByLabel("pace").selectOption("fast");
  await page.waitForFunction(() => atto.training.value === "ended", undefined, { timeout: 180_000 });
  const shifted = (await page.evaluate(() => window.shifts)).reduce((sum, one) => sum + one, 0);
  assert.ok(shifted < 0.02, `shifted by ${shifted}`);
  await page.close();
});

test("every control can be reached by keyboard and has a name", async () => {
  const { page } = await openPage(browser, FILE, { fragment: "v=1&scene=blank&seeds=2&training.steps=50" });
  await page.waitForFunction(() => atto.training.value === "ended", undefined, { timeout: 180_000 });
  const count = await page.evaluate(
    () => document.querySelectorAll("button:not([disabled]):not([tabindex='-1']), select, input, a[href], summary").length,
  );
  const names = new Set();
  for (let i = 0; i < 2 * count; i++) {
    await page.keyboard.press("Tab");
    names.add(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80)));
  }
  assert.ok(names.size > 40, `only ${names.size} places were reached`);
  await page.close();
});
