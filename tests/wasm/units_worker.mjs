// Runs compiled C++ tests in a thread of their own (tests_test.mjs): {file, pattern} in, {said} as they print, {code, count} at the end.
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const kNoSuchCall = 52; // ENOSYS of WASI

const decoder = new TextDecoder();

function instance(file) {
  const module = new WebAssembly.Module(readFileSync(file));
  let memory;
  const calls = {
    now: () => performance.now(),
    // What googletest prints.
    fd_write: (_, list, count, written) => {
      const view = new DataView(memory.buffer);
      let total = 0;
      let said = "";
      for (let i = 0; i < count; ++i) {
        const [start, length] = [0, 4].map((offset) => view.getUint32(list + 8 * i + offset, true));
        said += decoder.decode(memory.buffer.slice(start, start + length), { stream: true });
        total += length;
      }
      view.setUint32(written, total, true);
      parentPort.postMessage({ said });
      return 0;
    },
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = calls[name] ?? (() => kNoSuchCall);
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports.memory;
  exports.__wasm_call_ctors();
  return exports;
}

try {
  const tests = instance(workerData.file);
  const text = Buffer.from(workerData.pattern);
  const place = tests.room(text.length) >>> 0;
  new Uint8Array(tests.memory.buffer, place, text.length).set(text);
  const code = tests.run_tests(place, text.length);
  parentPort.postMessage({ code, count: tests.tests_run() });
} catch (error) {
  // A trap: what was printed before tells in which test.
  parentPort.postMessage({ said: `\n${error.stack}\n` });
  parentPort.postMessage({ code: -1, count: 0 });
}
