// The engine's own C++ tests in WebAssembly, with the kernels of either engine (wasm/tests.cmake says which are among them). They are
// built here if need be: without an engine for the browser there is nothing to test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
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

// Tests that ask for the very bits of native runs, or for a processor's instruction sets.
const BITS = [];

const kNoSuchCall = 52; // ENOSYS of WASI

function instance(name) {
  const module = new WebAssembly.Module(readFileSync(path.join(folder, name)));
  let memory;
  const calls = {
    now: () => performance.now(),
    // What googletest prints.
    fd_write: (file, list, count, written) => {
      const view = new DataView(memory.buffer);
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const [start, length] = [0, 4].map((offset) => view.getUint32(list + 8 * i + offset, true));
        (file === 2 ? process.stderr : process.stdout).write(Buffer.from(memory.buffer.slice(start, start + length)));
        total += length;
      }
      view.setUint32(written, total, true);
      return 0;
    },
    proc_exit: (code) => {
      throw new Error(`the tests ended with ${code}`);
    },
  };
  const imports = {};
  for (const { module: from, name: call } of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[call] = calls[call] ?? (() => kNoSuchCall);
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports.memory;
  exports.__wasm_call_ctors();
  return exports;
}

function run(name, pattern) {
  const tests = instance(name);
  const text = Buffer.from(pattern);
  const place = tests.room(text.length) >>> 0;
  new Uint8Array(tests.memory.buffer, place, text.length).set(text);
  assert.equal(tests.run_tests(place, text.length), 0, "some tests failed");
  return tests.tests_run();
}

test("plain: the engine's own tests", () => {
  const count = run("units.wasm", `*-${BITS.join(":")}`);
  console.log(`${count} tests`);
  assert.ok(count > 500, `only ${count} tests`);
});

test("relaxed: the engine's own tests", { skip: !relaxedWorks && "this Node has no relaxed instructions" }, () => {
  const count = run("units-relaxed.wasm", "*");
  assert.ok(count > 500, `only ${count} tests`);
});
