// The TypeScript of web/ passes its compiler, strictly.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../../web", import.meta.url));
const compiler = join(web, "node_modules", "typescript", "bin", "tsc");

function check(project) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "--project", project], { cwd: web, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

test("web/ has no error of types", () => {
  assert.deepEqual(check("tsconfig.json"), { status: 0, said: "" });
});

test("an element of an array that may be missing is an error", (t) => {
  const folder = mkdtempSync(join(web, "node_modules", ".types-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "wrong.ts"), "export const first = (list: number[]): number => list[0];\n");
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(web, "tsconfig.json"), include: ["*.ts"], exclude: [] }));
  const { status, said } = check(join(folder, "tsconfig.json"));
  assert.notEqual(status, 0);
  assert.match(said, /wrong\.ts.*TS2322.*undefined/);
});
