// Changes to the text of a study: the lines that are meant, and no others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { setKey, addCells, addGrid, addClaim, dropTables, hasSweep, splitClaims, tomlValue } = await load("state/toml.ts");
const { leaveOut } = await load("state/repair.ts");
const { studyText, planeText, initialState, parseAxis } = await load("state/state.ts");
const { SCENES } = await load("state/scenes.ts");

const STUDY = `# A comment with [data] in it
title = "A # in a string"

[data]
vocab = 10  # V
task = "copy"

[network]
width = 2

[[observe]]
what = ["perplexity", "positions", "embedding"]
every = 10

[seeds]
count = 4

[[phenomenon]]
detector = "plateau"

[[phenomenon]]
name = "solved"
detector = "emergence"

[[claim]]
id = "one"
statement = "It is so"
quantity = "plateau.present"
region = [0.5, 1]
`;

test("a key is changed in its line, with its comment", () => {
  assert.match(setKey(STUDY, "data.vocab", "20"), /^vocab = 20 {2}# V$/m);
  assert.equal(setKey(STUDY, "data.vocab", "20").split("\n").length, STUDY.split("\n").length);
});

test("a new key goes to the end of its table, a new table before the lists", () => {
  assert.match(setKey(STUDY, "network.layers", "2"), /\[network\]\nwidth = 2\nlayers = 2\n\n\[\[observe/);
  assert.match(setKey(STUDY, "training.rate", "0.1"), /\[training\]\nrate = 0.1\n\n\[\[observe/);
});

test("values are TOML, and whatever is none becomes a string", () => {
  for (const plain of ["3", "-1.5", "1e-3", "inf", "true", "[1, 2]", '{ "W_E" = 1 }', '"quoted"']) assert.equal(tomlValue(plain), plain);
  assert.equal(tomlValue("learned"), '"learned"');
  assert.equal(tomlValue('a"b\\c'), '"a\\"b\\\\c"');
  assert.equal(tomlValue("1, 2"), '"1, 2"');
  assert.equal(tomlValue("x\n[data]"), '"x [data]"');
});

test("cells, grids and claims are added, tables of a kind dropped", () => {
  assert.equal(hasSweep(STUDY), false);
  const cells = addCells(STUDY, [{ "network.width": "2" }, { "network.width": "3", "network.positions": "none" }]);
  assert.equal(hasSweep(cells), true);
  assert.match(cells, /\[\[sweep\.cells\]\]\nnetwork\.width = 3\nnetwork\.positions = "none"/);
  assert.match(addGrid(STUDY, [{ key: "data.context", values: ["4", "8"] }]), /\[sweep\.grid\]\ndata\.context = \[4, 8\]/);
  const claimed = addClaim(STUDY, { statement: 'so "is" it', quantity: "q", statistic: "rate", low: -Infinity, high: 1 });
  assert.match(claimed, /statement = "so \\"is\\" it"\n.*\n.*\nregion = \[-inf, 1\]/);
  assert.doesNotMatch(dropTables(claimed, "claim"), /claim/);
  assert.match(dropTables(claimed, "claim"), /\[\[phenomenon\]\]/);
});

test("a claim about everything is asked of each compared setting", () => {
  const text = splitClaims(STUDY, [{ "network.width": "2" }, { "network.width": "5" }]);
  assert.equal(text.match(/\[\[claim\]\]/g).length, 2);
  assert.match(text, /id = "one-2"\nstatement = "It is so \(width 5\)"[\s\S]*where = \{ network\.width = 5 \}/);
});

const lineOf = (text, part) => text.split("\n").findIndex((line) => line.includes(part)) + 1;

test("what a network lacks is left out: one address, one detector, one claim", () => {
  const about = (message, part) => leaveOut(STUDY, { message, line: lineOf(STUDY, part) });
  const observed = about("this network has no observable 'positions'", '"positions"');
  assert.equal(observed.leftOut, "positions");
  assert.match(observed.text, /what = \["perplexity", "embedding"\]/);
  assert.equal(about("reads what is not observed", 'name = "solved"').leftOut, "solved");
  assert.doesNotMatch(about("reads what is not observed", 'name = "solved"').text, /emergence/);
  assert.doesNotMatch(about("unknown quantity", 'id = "one"').text, /claim/);
  assert.equal(about("data.vocab = 1 is not allowed", "vocab"), null);
  assert.equal(leaveOut(STUDY, { message: "", line: null }), null);
  assert.equal(leaveOut(STUDY, { message: "", line: 999 }), null);
});

test("axes are read, and nonsense is not", () => {
  assert.deepEqual(parseAxis("network.width: 1, 2 ,3"), { key: "network.width", values: ["1", "2", "3"] });
  for (const text of ["", "network.width", "network.width:", ": 1", "Network: 1"]) assert.equal(parseAxis(text), null);
});

test("every scene has its study, its plane and its suggestions", () => {
  assert.equal(SCENES.length, 8);
  for (const { id, tries } of SCENES) {
    const state = initialState(id);
    assert.match(
      studyText(state, () => ""),
      /^title = /m,
    );
    assert.match(planeText(state) ?? "", /\[sweep\.grid\]/, id);
    assert.doesNotMatch(planeText(state) ?? "", /\[\[claim\]\]/);
    for (const { change } of tries) assert.ok(studyText({ ...state, ...change }, () => "1").length > 100);
  }
});
