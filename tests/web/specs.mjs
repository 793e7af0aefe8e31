// Hand-written specs in the shape that `atto` writes: CSV data inside, natural sizes in usermeta.atto.
const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";

const csv = (columns, rows) => ({
  values: [columns.join(","), ...rows.map((row) => row.join(","))].join("\n"),
  format: { type: "csv", parse: Object.fromEntries(columns.map((column) => [column, "number"])) },
});

const count = (length) => [...Array(length).keys()];

function spec(atto, body) {
  return { $schema: SCHEMA, usermeta: { atto }, ...body };
}

/** Three panels of a median with its band, and single seeds that a checkbox shows. */
export function curves() {
  const panel = (title, level) => {
    const median = (step) => level + (1 - level) * Math.exp(-step / 700);
    const bands = count(60).map((i) => [i * 50, median(i * 50) * 0.9, median(i * 50), median(i * 50) * 1.1]);
    const seeds = count(4).flatMap((seed) => count(60).map((i) => [i * 50, median(i * 50) * (0.9 + seed / 20), seed]));
    const x = { field: "step", type: "quantitative", title: "step" };
    return {
      title,
      width: 260,
      height: 200,
      layer: [
        {
          data: csv(["step", "low", "median", "high"], bands),
          encoding: { x },
          layer: [
            { mark: "area", encoding: { y: { field: "low", type: "quantitative", title: "loss / ln V" }, y2: { field: "high" } } },
            { mark: { type: "line", tooltip: true }, encoding: { y: { field: "median", type: "quantitative" } } },
          ],
        },
        {
          data: csv(["step", "value", "seed"], seeds),
          transform: [{ filter: "seeds" }],
          mark: { type: "line", strokeWidth: 0.5 },
          encoding: { x, y: { field: "value", type: "quantitative" }, detail: { field: "seed" } },
        },
      ],
    };
  };
  const atto = { name: "sticky/curves", marks: 1260, panels: 3, columns: 3, width: 260, height: 200, extra: 70, smallest: 180 };
  return spec(atto, {
    params: [{ name: "seeds", value: false, bind: { input: "checkbox", name: "every seed" } }],
    concat: [panel("V = 4", 0.1), panel("V = 20", 0.4), panel("V = 100", 0.5)],
    columns: 3,
  });
}

/** A hundred points that move over sixty frames. */
export function trajectory() {
  const steps = count(60).map((frame) => frame * 50);
  const rows = steps.flatMap((_, frame) =>
    count(100).map((token) => {
      const angle = (2 * Math.PI * token) / 100 + frame / 40;
      return [frame, token, (Math.cos(angle) * frame) / 60, (Math.sin(3 * angle) * frame) / 60];
    }),
  );
  const atto = {
    ...{ name: "sticky/trajectory", marks: 100, panels: 1, columns: 1, width: 340, height: 340, extra: 60, smallest: 220 },
    ...{ keep_aspect: true, frames: { param: "frame", steps } },
  };
  const axis = (field) => ({ field, type: "quantitative", scale: { domain: [-1, 1] }, title: `direction ${field}` });
  return spec(atto, {
    width: 340,
    height: 340,
    params: [{ name: "frame", value: 0, bind: { input: "range", min: 0, max: steps.length - 1, step: 1 } }],
    data: csv(["frame", "token", "x", "y"], rows),
    transform: [{ filter: "datum.frame == frame" }],
    mark: "point",
    encoding: {
      x: axis("x"),
      y: axis("y"),
      color: { field: "token", type: "quantitative" },
      tooltip: [{ field: "token" }, { field: "x", format: ".3f" }],
    },
  });
}

/** Twenty-five maps, five across on any screen. */
export function maps() {
  const panel = (index) => ({
    ...(index < 5 ? { title: `D = ${index + 1}` } : {}),
    width: 90,
    height: 90,
    data: csv(
      ["row", "column", "value"],
      count(144).map((cell) => [Math.floor(cell / 12), cell % 12, Math.cos((cell * (index + 1)) / 60)]),
    ),
    mark: "rect",
    encoding: {
      // Whole pixels for each cell leave no seams between them.
      x: { field: "column", type: "ordinal", axis: null, scale: { round: true } },
      y: { field: "row", type: "ordinal", axis: null, scale: { round: true } },
      color: { field: "value", type: "quantitative", scale: { domain: [-1, 1] }, legend: null },
    },
  });
  const atto = { name: "sticky/maps", marks: 3600, panels: 25, columns: 5, width: 90, height: 90, extra: 14, smallest: 50 };
  return spec({ ...atto, keep_aspect: true }, { concat: count(25).map(panel), columns: 5, spacing: 10 });
}

/** Medians with intervals by a sweep, and what is left of them below: two views of different height, and a legend. */
export function law() {
  const rows = count(3).flatMap((group) => count(6).map((i) => [2 ** i, group + 1, 100 * (group + 1) * 2 ** (0.8 * i)]));
  const x = { field: "length", type: "quantitative", scale: { type: "log", base: 2 }, title: "length T" };
  // Names as long as settings make them, which a legend must cope with on a phone.
  const transform = [{ calculate: "'layers ' + datum.group + ', heads 4, context 32, width 16'", as: "setting" }];
  const color = { field: "setting", type: "ordinal", title: null };
  const atto = { name: "law/fit", marks: 36, panels: 1, columns: 1, width: 300, height: 300, extra: 130, smallest: 160 };
  return spec(atto, {
    data: csv(["length", "group", "plateau"], rows),
    transform,
    vconcat: [
      { width: 300, height: 200, mark: "point", encoding: { x, y: { field: "plateau", type: "quantitative", scale: { type: "log" } }, color } },
      {
        width: 300,
        height: 60,
        transform: [{ calculate: "log(datum.plateau) - 0.8 * log(datum.length)", as: "rest" }],
        mark: "point",
        encoding: { x, y: { field: "rest", type: "quantitative", title: "rest" }, color },
      },
    ],
  });
}
