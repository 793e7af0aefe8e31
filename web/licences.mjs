// The licence texts of the packages that a bundle holds, each text once with the packages it covers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** "node_modules/a/node_modules/@b/c/index.js" is a file of the package in "node_modules/a/node_modules/@b/c". */
function packageFolder(file) {
  return file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
}

function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file && readFileSync(join(folder, file), "utf8").replace(/\r\n/g, "\n").trim();
}

export function licencesOf(files, root) {
  const folders = [...new Set(files.map(packageFolder).filter(Boolean))].sort();
  const packagesOf = new Map();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    if (!license) throw new Error(`${name} ${version} names no licence`);
    const owner = typeof author === "string" ? author : author?.name;
    const text = licenceText(join(root, folder)) ?? `${license}${owner ? `, by ${owner}` : ""}`;
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...packagesOf].map(([text, packages]) => `${packages.join(", ")}\n\n${text}\n`);
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}
