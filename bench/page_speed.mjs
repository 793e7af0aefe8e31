// Training steps of the engine in WebAssembly against the native engine on one thread, side by side: the same session of
// one run, advanced in turns. Processor time counts, so what else the machine does matters little.
//
//   node bench/page_speed.mjs [--seconds 4]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { decode, plain, relaxed, relaxedWorks, root } from "../tests/wasm/engines.mjs";

const seconds = Number(process.argv[process.argv.indexOf("--seconds") + 1] || 4);
const cases = [
  ["V = 100, d = 2, C = 4, batch 512", ["data.vocab=100"], 1 / 8],
  ["V = 4, d = 2, C = 4, batch 128", ["data.vocab=4", "training.batch=128"], 1 / 10],
  ["V = 10, d = 10, C = 4, batch 512", ["data.vocab=10", "network.width=10"], null],
];
const request = (set) => ({
  text: 'title = "Speed"\n[training]\nsteps = 1000000000\n[[observe]]\nwhat = ["loss"]\nlinear = 2\n[seeds]\ncount = 1\n',
  options: { set },
});

// The native engine, asked line by line.
class Native {
  constructor() {
    const program = process.env.ATTO_NATIVE_ENGINE ?? `${root}/build/tests/native_engine`;
    this.child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async stepsIn(set, milliseconds) {
    this.child.stdin.write(JSON.stringify({ speed: request(set), milliseconds }) + "\n");
    return JSON.parse((await this.lines.next()).value);
  }
  end() {
    this.child.stdin.end();
  }
}

const builds = [["plain", await plain()]];
if (relaxedWorks) builds.push(["relaxed", await relaxed()]);
const native = new Native();
const rounds = 8;
const slice = (1000 * seconds) / rounds;
for (const [name, set, goal] of cases) {
  const sessions = builds.map(([, engine]) => engine.open(request(set)).session);
  const stepsIn = (i) => {
    const before = process.cpuUsage();
    const { steps } = decode(builds[i][1].advance(sessions[i], slice));
    const { user, system } = process.cpuUsage(before);
    return { steps, cpu_ms: (user + system) / 1000 };
  };
  builds.forEach((_, i) => stepsIn(i)); // the first is slow: V8 compiles
  await native.stepsIn(set, slice);
  const totals = builds.map(() => ({ steps: 0, cpu_ms: 0 }));
  const known = { steps: 0, cpu_ms: 0 };
  const add = (all, { steps, cpu_ms }) => ((all.steps += steps), (all.cpu_ms += cpu_ms));
  for (let round = 0; round < rounds; ++round) {
    add(known, await native.stepsIn(set, slice));
    builds.forEach((_, i) => add(totals[i], stepsIn(i)));
  }
  const micros = ({ steps, cpu_ms }) => (1000 * cpu_ms) / steps;
  console.log(`${name}: native ${micros(known).toFixed(2)} µs a step`);
  builds.forEach(([build], i) => {
    const ratio = micros(totals[i]) / micros(known);
    const reached = goal === null ? "" : ratio <= 1 / goal ? ", goal reached" : `, goal 1/${1 / goal} missed`;
    console.log(`  ${build} ${micros(totals[i]).toFixed(2)} µs, 1/${ratio.toFixed(1)} of native${reached}`);
  });
  builds.forEach(([, engine], i) => engine.close(sessions[i]));
}
native.end();
