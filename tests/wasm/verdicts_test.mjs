// Studies trained in WebAssembly come to the findings and verdicts of the native engine, and questions to its answers.
import assert from "node:assert/strict";
import test from "node:test";

import { native, plain, relaxed, relaxedWorks, study, train, trainNatively } from "./engines.mjs";

const builds = [["plain", plain]];
if (relaxedWorks) builds.push(["relaxed", relaxed]);

// Of each source one study, with fewer seeds and steps than it asks for.
const studies = [
  { ...study("sticky-plateau"), options: { seeds: 8, set: ["data.vocab=4", "training.steps=600"] } },
  { ...study("emergence-theory"), options: { seeds: 2, set: ["training.steps=300"] } },
];

const judged = (request, runs) => ({ ask: "judge", ...request, runs: runs.map(({ series, ...run }) => run) });

for (const [name, build] of builds) {
  for (const request of studies) {
    test(`${name}: ${request.name}`, async () => {
      const engine = await build();
      const runs = train(engine, request);
      const expected = trainNatively(request);
      assert.equal(runs.length, expected.length);
      const mine = engine.ask(judged(request, runs));
      const [theirs] = native([judged(request, expected)]);
      assert.equal(theirs.error, undefined);
      // Numbers of runs that are not equal to the bit may differ in their last digits; what is decided may not.
      assert.deepEqual(
        mine.verdicts.map((one) => [one.claim, one.verdict, one.reason, one.seeds, one.censored, one.missing]),
        theirs.verdicts.map((one) => [one.claim, one.verdict, one.reason, one.seeds, one.censored, one.missing]),
      );
      runs.forEach((run, i) => {
        for (const [quantity, { value, censored }] of Object.entries(expected[i].findings)) {
          assert.equal(run.findings[quantity].censored, censored, quantity);
          if (quantity.endsWith(".present")) assert.equal(run.findings[quantity].value, value, quantity);
        }
      });
      if (engine.ask({ ask: "about" }).native_bits) assert.deepEqual(mine, theirs);
      // The judge is the same to the last digit: it gets the same numbers here.
      assert.deepEqual(engine.ask(judged(request, expected)), theirs);
    });
  }

  test(`${name}: answers without training`, async () => {
    const engine = await build();
    const requests = [
      { ask: "schema" },
      ...["sticky-plateau", "embedding-branching", "recall-law", "emergence-theory"]
        .map((one) => ({ ask: "study", ...study(one), options: { seeds: 4 } })),
      { ask: "predict", length: 64, dimension: 16, repeat: 2, cross: 0.25, threshold: 0.5, steps: 2000, rate: 0.05 },
      { ask: "next_cells", level: 0.5, count: 3, cells: [0, 1, 2, 3].map((x) => ({ x, y: 0, yes: x, runs: 3 })) },
    ];
    const answers = native(requests);
    requests.forEach((request, i) => {
      if (answers[i].error) assert.throws(() => engine.ask(request), { message: answers[i].error.message });
      else assert.deepEqual(withoutBytes(engine.ask(request)), withoutBytes(answers[i]), request.ask);
    });
  });

  test(`${name}: what is wrong is said`, async () => {
    const engine = await build();
    assert.throws(() => engine.ask("{"), /no JSON/);
    assert.throws(() => engine.ask({ ask: "study", text: "[data]\nvocab = 1" }), (error) => {
      assert.equal(error.line, 2);
      return true;
    });
    assert.throws(() => engine.open({ text: "title = 5" }), /title/);
    assert.throws(() => engine.open({ ...study("sticky-plateau"), options: { seeds: 1e9 } }), /seeds/);
    assert.throws(() => engine.advance(99, 1), /no session/);
    assert.throws(() => engine.ask("[".repeat(100000)), /nests/);
    assert.throws(
      () => engine.open({ ...study("sticky-plateau"), options: { seeds: 4000, set: ["data.vocab=65536", "network.width=64"] } }),
      /memory|long|runs/,
    );
    assert.equal(engine.ask({ ask: "about" }).version, native([{ ask: "about" }])[0].version, "and it goes on");
  });
}

// Pointers are half as long in the browser, so a run takes other numbers of bytes there. Sums of series may round
// otherwise in its C library, in the last digit.
function withoutBytes(answer) {
  return JSON.parse(JSON.stringify(answer), (key, value) =>
    key === "bytes" ? undefined : typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
  );
}
