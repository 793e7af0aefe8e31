// Modules of the page for tests in Node: bundled in memory, since Node reads no TypeScript.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const web = new URL("../../web/", import.meta.url);
const { build } = createRequire(new URL("package.json", web))("esbuild");

/** A module of web/playground with all that it imports, as one text. */
export async function bundle(path, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(web),
    entryPoints: [`playground/${path}`],
    bundle: true,
    write: false,
    format: "esm",
    loader: { ".toml": "text" },
    jsx: "automatic",
    jsxImportSource: "preact",
    ...options,
  });
  return outputFiles[0].text;
}

/** What a module of web/playground exports. */
export async function load(path) {
  return import(`data:text/javascript;base64,${Buffer.from(await bundle(path)).toString("base64")}`);
}
