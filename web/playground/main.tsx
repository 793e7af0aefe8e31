// Starts the page: the state of its address, an engine, and training.
import { effect } from "@preact/signals";
import { supportsRelaxed } from "atto-engine";
import { compileEngine } from "atto-unpack";
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./controls/theme.tsx";
import { painted, startPainting } from "./draw/paint.ts";
import { EngineError, type Engine } from "./engine/engine.ts";
import { ServerEngine } from "./engine/server_engine.ts";
import { WasmEngine } from "./engine/wasm_engine.ts";
import { startAddress } from "./state/address.ts";
import { hovered, zoom } from "./state/attention.ts";
import { effort, engine, fail, isStale, judgement, openStudy, recordings, study, training } from "./state/lab.ts";
import { painting } from "./state/painter.ts";
import { state } from "./state/state.ts";
import { head, toggle } from "./state/time.ts";

// The smallest module with a vector instruction: (func (result v128) i32.const 0 i8x16.splat).
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]);

const embedded = (id: string): string => document.getElementById(id)?.textContent ?? "";

const bytesOf = (id: string): Uint8Array<ArrayBuffer> => {
  const code = atob(embedded(id));
  const bytes = new Uint8Array(code.length);
  for (let i = 0; i < code.length; i++) bytes[i] = code.charCodeAt(i);
  return bytes;
};

/** The engine stands in the page packed, in two builds. The one that fuses, where the browser has it, gives the bits of native runs. */
async function compiledEngine(): Promise<WebAssembly.Module> {
  const engine = await compileEngine(bytesOf("unlzma"), bytesOf("engines"), supportsRelaxed());
  performance.mark("engine compiled");
  return engine;
}

function startEngine(): Engine {
  const server = document.querySelector<HTMLMetaElement>('meta[name="atto-server"]')?.content;
  if (server !== undefined) return new ServerEngine(new URL(`${server || "."}/`, location.href).href.replace(/\/$/, ""));
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(SIMD))
    throw new EngineError(
      "This browser has no WebAssembly with vector instructions, so nothing can be trained in it.",
      "Use Chrome or Firefox from 2021 on, or Safari from 2023 on; or run atto serve, which trains natively.",
    );
  return new WasmEngine(embedded("worker"), compiledEngine());
}

/** Trains anew when the state asks for other runs, once the visitor's hand rests. */
function followState(): void {
  let timer = 0;
  effect(() => {
    void state.value;
    // The phase diagram trains for itself.
    if (!engine.value || state.value.tab === "plane" || !isStale()) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (isStale() && state.value.tab !== "plane") void openStudy();
    }, 80);
  });
}

try {
  const kept = localStorage.getItem("atto-theme");
  if (kept) document.documentElement.dataset["theme"] = kept;
} catch {
  // Pages opened from disk may have no storage.
}
startAddress();
// The engine first: it is compiled and reads the study while the page is made.
try {
  engine.value = startEngine();
  void openStudy();
} catch (error) {
  fail(error);
}
applyTheme();
const root = document.getElementById("page") as HTMLElement;
render(<App />, root);
startPainting();
followState();

addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.key !== " " || /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY|A)$/.test(target.tagName)) return;
  event.preventDefault();
  toggle();
});

// For tests and measurements.
Object.assign(window, { atto: { state, study, training, recordings, judgement, effort, painted, painting, head, hovered, zoom } });
