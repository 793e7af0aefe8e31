// Scenes are studies: the program reads each of them as it is, and as the page changes it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { load } from "./load.mjs";

const ATTO = process.env.ATTO_BINARY;
const folder = mkdtempSync(join(tmpdir(), "atto-scenes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { SCENES } = await load("state/scenes.ts");
const { initialState, studyText, planeText } = await load("state/state.ts");

/** What the program says of a study without training it. */
function read(name, text) {
  const file = join(folder, `${name}.toml`);
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(ATTO, ["run", file, "--dry-run", "--store", join(folder, "no.db")], { encoding: "utf8" });
  assert.equal(status, 0, `${name}: ${stderr}`);
}

for (const scene of SCENES)
  test(`the program reads ${scene.id}, its plane and what it suggests`, () => {
    const state = initialState(scene.id);
    read(
      scene.id,
      studyText(state, () => ""),
    );
    read(`${scene.id}-plane`, planeText(state));
    for (const [i, { change }] of scene.tries.entries())
      if (change.set)
        read(
          `${scene.id}-${i}`,
          studyText({ ...state, ...change }, () => ""),
        );
  });
