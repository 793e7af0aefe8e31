// Training steps of the engine in WebAssembly against the native engine on one thread, in Node, side by side: the same session
// of one run, advanced in turns. Processor time counts, so what else the machine does matters little.
//
//   node bench/page/engine_speed.mjs [--seconds 4]
import { decode, plain, relaxed, relaxedWorks } from "../../tests/wasm/engines.mjs";
import { CASES, Native, speedRequest, Total } from "./native.mjs";

const seconds = Number(process.argv[process.argv.indexOf("--seconds") + 1] || 4);
const builds = [["plain", await plain()]];
if (relaxedWorks) builds.push(["relaxed", await relaxed()]);
const native = new Native();
const rounds = 8;
const slice = (1000 * seconds) / rounds;
for (const { name, set, goal } of CASES) {
  const sessions = builds.map(([, engine]) => engine.open(speedRequest(set)).session);
  const stepsIn = (i) => {
    const before = process.cpuUsage();
    const { steps } = decode(builds[i][1].advance(sessions[i], slice));
    const { user, system } = process.cpuUsage(before);
    return { steps, cpu_ms: (user + system) / 1000 };
  };
  builds.forEach((_, i) => stepsIn(i)); // the first is slow: V8 compiles
  await native.stepsIn(set, slice);
  const totals = builds.map(() => new Total());
  const known = new Total();
  for (let round = 0; round < rounds; ++round) {
    known.add(await native.stepsIn(set, slice));
    builds.forEach((_, i) => totals[i].add(stepsIn(i)));
  }
  console.log(`${name}: native ${known.micros.toFixed(2)} µs a step`);
  builds.forEach(([build], i) => {
    const ratio = totals[i].micros / known.micros;
    const reached = goal === null ? "" : ratio <= 1 / goal ? ", goal reached" : `, goal 1/${1 / goal} missed`;
    console.log(`  ${build} ${totals[i].micros.toFixed(2)} µs, 1/${ratio.toFixed(1)} of native${reached}`);
  });
  builds.forEach(([, engine], i) => engine.close(sessions[i]));
}
native.end();
