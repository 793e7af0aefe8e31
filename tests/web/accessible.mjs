// What axe finds in a page: names, roles, structure, contrast, by the rules of WCAG 2.2 AA and of good practice.
import { readFileSync } from "node:fs";

const axe = readFileSync(new URL("../../web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** One line for each rule that an element breaks. The page's policy allows no other script, so this one comes past it, by the debugger. */
export async function axeProblems(page) {
  await page.evaluate(`window.axe || (() => { ${axe} })()`);
  const violations = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  return violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map(({ target }) => `${id}: ${help}: ${target.join(" ")}`));
}
