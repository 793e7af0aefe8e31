// The licence texts of what a bundle holds, each text once with the packages it covers.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SEPARATOR = `\n${"-".repeat(80)}\n\n`;
const read = (...path) => readFileSync(join(...path), "utf8");

/** "node_modules/a/node_modules/@b/c/index.js" is a file of the package in "node_modules/a/node_modules/@b/c". */
const packageFolder = (file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
const packageName = (file) => packageFolder(file)?.replace(/^.*node_modules\//, "");

/** All that the page depends on, through others too. Published files may hold copies of other packages, and not all say so: a
 *  text too many is better than one too few. */
function dependencies(root) {
  const { packages } = JSON.parse(read(root, "package-lock.json"));
  return Object.keys(packages).filter((folder) => folder && !packages[folder].dev);
}

/** Packages whose files were copied into a published file, as far as its source map tells. */
function inlined(root, file) {
  const map = join(root, `${file}.map`);
  return existsSync(map) ? JSON.parse(readFileSync(map, "utf8")).sources.map(packageName).filter(Boolean) : [];
}

/** The bundled packages that `folders` leave out. */
function uncovered(root, files, folders) {
  const names = new Set(folders.map(packageName));
  const copied = files.flatMap((file) => inlined(root, file)).filter((name) => !names.has(name));
  const bundled = files.map(packageFolder).filter((folder) => folder && !folders.includes(folder));
  return [...new Set([...bundled, ...copied])];
}

function licenceText(root, folder) {
  const files = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isFile());
  const named = files.filter(({ name }) => /^(un)?(licen[cs]e|copying|notice)/i.test(name));
  const text = named.map(({ name }) => read(root, folder, name).replace(/\r\n/g, "\n").trim()).join("\n\n");
  // Every licence there may be here disclaims warranty; a mere name of one does not.
  if (!/as[ -]is/i.test(text)) throw new Error(`${folder} has no licence text: the page may not hold it without one`);
  return text;
}

/** What Debian says of the C++ libraries that went into the engine. */
export function debianLicences(packages) {
  const texts = packages.map((name) => `${name}, as Debian has it\n\n${read("/usr/share/doc", name, "copyright").trim()}\n`);
  return texts.join(SEPARATOR);
}

/** The packages whose files are in a bundle. */
export const bundledFolders = (files) => [...new Set(files.map(packageFolder).filter(Boolean))];

/** `files` are those of a bundle, as paths from `root`, the folder of package-lock.json; `folders` the packages to account for. */
export function licencesOf(files, root, folders = dependencies(root)) {
  folders = [...folders].sort();
  const missing = uncovered(root, files, folders);
  if (missing.length) throw new Error(`the bundle holds what package-lock.json does not name as a dependency: ${missing.join(", ")}`);
  const packagesOf = new Map();
  for (const folder of folders) {
    const { name, version } = JSON.parse(read(root, folder, "package.json"));
    const text = licenceText(root, folder);
    packagesOf.set(text, (packagesOf.get(text) ?? new Set()).add(`${name} ${version}`));
  }
  const parts = [...packagesOf].map(([text, packages]) => `${[...packages].join(", ")}\n\n${text}\n`);
  return parts.join(SEPARATOR);
}
