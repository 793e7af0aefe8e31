// Bundles a page's script and style into one file each, and collects the licences of what went into them. What the TypeScript means is
// checked by `npx tsc` (tests/web/types_test.mjs); here its types are only left out.
// usage: node build.mjs FOLDER    writes FOLDER/report.js, report.css, licences.txt, page.html
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licencesOf } from "./licences.mjs";
import { withPolicy } from "./page.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
const common = {
  absWorkingDir: here,
  outdir: output,
  bundle: true,
  minify: true,
  target: ["chrome100", "firefox100", "safari15"],
  logLevel: "warning",
};

const { metafile } = await build({
  ...common,
  entryPoints: { report: "report/report.ts" },
  format: "iife",
  legalComments: "eof", // of single files, beside the licences of whole packages
  metafile: true,
});
await build({ ...common, entryPoints: { report: "report/report.css" } });
writeFileSync(join(output, "licences.txt"), licencesOf(Object.keys(metafile.inputs), here));

// The script stands inside an HTML page, beside placeholders that are replaced by name.
const read = (file) => readFileSync(file, "utf8");
const [script, style] = ["report.js", "report.css"].map((file) => read(join(output, file)));
const template = read(join(here, "report/page.html"));
for (const text of ["</script", "<!--", ...template.match(/\{\{\w+\}\}/g)]) {
  if (script.includes(text)) throw new Error(`the bundle holds ${text}, which would break the page around it`);
}
writeFileSync(join(output, "page.html"), withPolicy(template, { script, style }));
