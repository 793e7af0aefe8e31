// Modules of the page for tests in Node: bundled in memory, since Node reads no TypeScript.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const web = new URL("../../web/", import.meta.url);
const { build } = createRequire(new URL("package.json", web))("esbuild");

/** What a module of web/playground exports. */
export async function load(path) {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(web),
    entryPoints: [`playground/${path}`],
    bundle: true,
    write: false,
    format: "esm",
    loader: { ".toml": "text" },
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
