// Bundles the page's script and style into one file each, and collects the licences of what went into them.
// usage: node build.mjs FOLDER    writes FOLDER/report.js, report.css, licences.txt
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licencesOf } from "./licences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { report: "report.js" },
  outdir: output,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox100", "safari15"],
  legalComments: "none", // licences.txt has them whole
  metafile: true,
  logLevel: "warning",
});
await build({ absWorkingDir: here, entryPoints: ["report.css"], outdir: output, minify: true, logLevel: "warning" });
writeFileSync(join(output, "licences.txt"), licencesOf(Object.keys(metafile.inputs), here));

// The script stands inside an HTML page, beside placeholders that are replaced by name.
const script = readFileSync(join(output, "report.js"), "utf8");
const placeholders = readFileSync(join(here, "page.html"), "utf8").match(/\{\{\w+\}\}/g);
for (const text of ["</script", "<!--", ...placeholders]) {
  if (script.includes(text)) throw new Error(`the bundle holds ${text}, which would break the page around it`);
}
