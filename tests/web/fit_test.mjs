// Figures fit the room they have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { curves, law, maps } from "./specs.mjs";
import { importTypeScript } from "./typescript.mjs";

const { expectedHeight, fit, layout } = await importTypeScript("report/fit.ts");

test("panels go below each other when they would get too narrow", () => {
  const { atto } = curves().usermeta;
  assert.equal(layout(atto, 1200).columns, 3);
  assert.equal(layout(atto, 600).columns, 2);
  assert.equal(layout(atto, 328).columns, 1);
  assert.equal(layout(atto, 100).columns, 1);
});

test("on a wide page the study's columns are honoured, whatever the axes take", () => {
  const natural = { columns: 6, panels: 6, width: 260, extra: 70, smallest: 180 };
  assert.equal(layout(natural, 1248).columns, 6);
  assert.ok(6 * (260 * layout(natural, 1248).scale + 70) <= 1248 + 1e-9);
  assert.equal(layout({ ...natural, columns: 4 }, 950).columns, 4);
  assert.equal(layout(natural, 700).columns, 2, "a narrow page keeps panels legible");
});

test("panels fill the room and stop growing", () => {
  assert.equal(fit(curves(), 990).concat[0].width, 260);
  assert.equal(fit(curves(), 5000).concat[0].width, 416);
  assert.equal(fit(curves(), 10).concat[0].width, 60);
});

test("height stays unless the shape matters", () => {
  assert.equal(fit(curves(), 1200).concat[0].height, 200);
  const { width, height } = fit(maps(), 700).concat[0];
  assert.equal(width, height);
});

test("a grid of maps stays a grid on a phone", () => {
  const fitted = fit(maps(), 328);
  assert.equal(fitted.columns, 5);
  assert.ok(5 * (fitted.concat[0].width + 14) <= 328);
});

test("views of different size keep their proportion", () => {
  const [upper, lower] = fit(law(), 290).vconcat;
  assert.deepEqual([upper.width, lower.width, upper.height, lower.height], [160, 160, 200, 60]);
});

test("a spec without sizes stays as it is", () => {
  const spec = { mark: "point", width: 100 };
  assert.equal(fit(spec, 300), spec);
});

test("room is kept for all panels and their axes, as they stand", () => {
  assert.equal(expectedHeight(curves(), 1200), 200 + 72 + 12);
  assert.equal(expectedHeight(curves(), 328), 3 * (200 + 72) + 12);
  assert.equal(expectedHeight(law(), 600), 200 + 72 + 60 + 72 + 12);
  const [map] = fit(maps(), 328).concat;
  assert.equal(expectedHeight(maps(), 328), 5 * (map.height + 14 + 12) + 12);
});
