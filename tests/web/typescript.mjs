// Modules of web/ for tests that need no browser: Node reads no TypeScript itself, so the bundler makes JavaScript of it.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { build } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");

/** What the module at `path` in web/ exports. */
export async function importTypeScript(path) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../web/${path}`, import.meta.url))],
    bundle: true,
    format: "esm",
    loader: { ".toml": "text" },
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
