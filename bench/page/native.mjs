// The native engine on one thread, asked line by line: steps of a session of one run, and the processor time they took.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const PROGRAM = process.env.ATTO_NATIVE_ENGINE ?? fileURLToPath(new URL("../../build/tests/native_engine", import.meta.url));

/** A study of one run that goes on for ever, and measures next to nothing. */
export const speedStudy = (steps = 1_000_000_000) =>
  `title = "Speed"\n[training]\nsteps = ${steps}\n[[observe]]\nwhat = ["loss"]\nlinear = 2\n[seeds]\ncount = 1\n`;

/** The sizes that are measured, with the share of native speed that the browser should reach. */
export const CASES = [
  { name: "V = 100, d = 2, C = 4, batch 512", set: ["data.vocab=100"], goal: 1 / 8 },
  { name: "V = 4, d = 2, C = 4, batch 128", set: ["data.vocab=4", "training.batch=128"], goal: 1 / 10 },
  { name: "V = 10, d = 10, C = 4, batch 512", set: ["data.vocab=10", "network.width=10"], goal: null },
];

export const speedRequest = (set) => ({ text: speedStudy(), options: { set } });

export class Native {
  constructor() {
    this.child = spawn(PROGRAM, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async stepsIn(set, milliseconds) {
    this.child.stdin.write(JSON.stringify({ speed: speedRequest(set), milliseconds }) + "\n");
    return JSON.parse((await this.lines.next()).value);
  }
  end() {
    this.child.stdin.end();
  }
}

/** Steps and processor time, added up. */
export class Total {
  steps = 0;
  cpu_ms = 0;
  add({ steps, cpu_ms }) {
    this.steps += steps;
    this.cpu_ms += cpu_ms;
  }
  get micros() {
    return (1000 * this.cpu_ms) / this.steps;
  }
}
