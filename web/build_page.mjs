// The playground as one file: script, style, engine and licences inside, and a policy that lets it ask nobody for anything.
// usage: node build_page.mjs FOLDER    takes the packed engines from there and writes index.html
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundledFolders, debianLicences, licencesOf } from "./licences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];

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
  alias: { "atto-engine": join(here, "../wasm/engine.mjs"), "atto-unpack": join(here, "../wasm/unpack.mjs") },
  loader: { ".toml": "text" },
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

async function bundle(entry) {
  const { outputFiles, metafile } = await build({ ...common, entryPoints: [entry], outdir: "out" });
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

const script = await bundle("playground/main.tsx");
const style = await bundle("playground/style.css");
const worker = await bundle("playground/engine/worker.ts");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script.text)} 'wasm-unsafe-eval' blob:`,
  // Positions and widths that follow the state are set as properties of elements, which is style too.
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "worker-src blob:",
  "connect-src 'none'", // atto serve puts 'self' in its place
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const parts = {
  policy,
  style: style.text,
  script: script.text,
  worker: worker.text,
  unlzma: readFileSync(join(folder, "unlzma.wasm")).toString("base64"),
  engines: readFileSync(join(folder, "engines.pack")).toString("base64"),
  licences: [licencesOf(script.inputs, here, bundledFolders(script.inputs)), debianLicences(LIBRARIES)].join("\n"),
};
for (const [name, text] of Object.entries(parts))
  if (/<\/script|<!--/i.test(text)) throw new Error(`the ${name} holds text that would end the page around it`);
const template = readFileSync(join(here, "playground/page.html"), "utf8");
writeFileSync(join(folder, "index.html"), template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
