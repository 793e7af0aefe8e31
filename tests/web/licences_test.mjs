// What the page holds is there with its licence.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { licencesOf } from "../../web/licences.mjs";

const folder = mkdtempSync(join(tmpdir(), "atto-licences-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = 'Copyright someone. Use it. The software is provided "as is".';

/** Packages by name: { licence, dev, map }, the last being the files that its index.js was made of. */
function install(name, packages) {
  const root = join(folder, name);
  const lock = { "": {} };
  for (const [called, { licence, dev, map }] of Object.entries(packages)) {
    const place = `node_modules/${called}`;
    lock[place] = { dev };
    mkdirSync(join(root, place), { recursive: true });
    writeFileSync(join(root, place, "package.json"), JSON.stringify({ name: called, version: "1.0.0" }));
    if (licence) writeFileSync(join(root, place, "LICENSE.md"), licence);
    if (map) writeFileSync(join(root, place, "index.js.map"), JSON.stringify({ sources: map }));
  }
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: lock }));
  return root;
}

test("a text stands once, under all it covers, and tools have none", () => {
  const root = install("good", {
    "@a/one": { licence: TEXT, map: ["../node_modules/two/index.js", "src/own.js"] },
    two: { licence: TEXT },
    tool: { licence: `${TEXT} A tool.`, dev: true },
  });
  assert.equal(licencesOf(["report.js", "node_modules/@a/one/index.js"], root), `@a/one 1.0.0, two 1.0.0\n\n${TEXT}\n`);
});

test("a package without a licence text is refused", () => {
  for (const licence of [undefined, "MIT"]) {
    const root = install(`bare-${licence}`, { bare: { licence } });
    assert.throws(() => licencesOf(["node_modules/bare/index.js"], root), /bare has no licence text/);
  }
});

test("what is bundled and no dependency is refused, copies in other packages too", () => {
  const root = install("foreign", { one: { licence: TEXT, map: ["../node_modules/copied/index.js"] }, tool: { licence: TEXT, dev: true } });
  assert.throws(() => licencesOf(["node_modules/one/index.js"], root), /copied/);
  assert.throws(() => licencesOf(["node_modules/tool/index.js"], root), /node_modules\/tool/);
});

test("the page has the licences of what its packages hold inside them", () => {
  const licences = readFileSync(new URL("../../build/web/licences.txt", import.meta.url), "utf8");
  for (const name of ["vega-embed", "fast-json-patch", "semver", "delaunator", "robust-predicates"]) {
    assert.match(licences, new RegExp(`(^|, )${name} \\d`, "m"));
  }
});
