// The playground as one file: script, style, engine and licences inside, and a policy that lets it ask nobody for anything.
// usage: node build_page.mjs ENGINE_FOLDER OUTPUT.html [--server]
// With --server the engine stays out, and the page speaks with the server that it comes from.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { bundledFolders, debianLicences, licencesOf } from "./licences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [engineFolder, output, mode] = process.argv.slice(2);
const served = mode === "--server";

// What of Debian is compiled into the engine.
const LIBRARIES = [
  "libhwy-dev",
  "libeigen3-dev",
  "nlohmann-json3-dev",
  "libtomlplusplus-dev",
  "libboost-dev",
  "librandom123-dev",
  "libxxhash-dev",
  "emscripten",
];

const common = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox100", "safari16.4"],
  loader: { ".toml": "text" },
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

async function bundle(entry, more = {}) {
  const { outputFiles, metafile } = await build({ ...common, entryPoints: [entry], outdir: "out", ...more });
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

const script = await bundle("playground/main.tsx");
const style = await bundle("playground/style.css");
const worker = served
  ? { text: "", inputs: [] }
  : await bundle("playground/engine/worker.ts", {
      alias: { "atto-engine": resolve(engineFolder, "engine.mjs") },
    });

/** A file of the engine, packed for the page; nothing where there is none. */
function packed(name) {
  const file = join(engineFolder, name);
  return served || !existsSync(file) ? "" : deflateRawSync(readFileSync(file), { level: 9 }).toString("base64");
}
const engine = packed("engine.wasm");
if (!served && !engine) throw new Error(`there is no engine.wasm in ${engineFolder}: scripts/build_engine.sh builds it`);

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script.text)} 'wasm-unsafe-eval' blob:`,
  // Positions and widths that follow the state are set as properties of elements, which is style too.
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "worker-src blob:",
  `connect-src ${served ? "'self'" : "'none'"}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const parts = {
  policy,
  style: style.text,
  script: script.text,
  worker: worker.text,
  engine,
  fused: packed("engine-relaxed.wasm"),
  licences: [licencesOf(script.inputs, here, bundledFolders(script.inputs)), ...(served ? [] : [debianLicences(LIBRARIES)])].join("\n"),
};
for (const [name, text] of Object.entries(parts))
  if (/<\/script|<!--/i.test(text)) throw new Error(`the ${name} holds text that would end the page around it`);
const template = readFileSync(join(here, "playground/page.html"), "utf8");
let page = template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if (served) page = page.replace("<title>", '<meta name="atto-server" content="">\n<title>');
writeFileSync(output, page);
