// The state in the address of the page: it comes back whole, and nothing that a link can hold breaks the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { toFragment, fromFragment, encodeText, decodeText } = await load("state/url.ts");
const { initialState } = await load("state/state.ts");

/** Numbers that look random and are the same in every run (a linear congruence modulo 2^32). */
function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SCENES = ["sticky-plateau", "branching", "similar-content", "previous-token", "attention-sink", "emergence", "recall", "blank"];
const KEYS = ["data.vocab", "data.task", "network.width", "network.start", "training.rate", "training.points"];
const VALUES = ["3", "1e-3", "learned", "true", "[1, 2]", '{ "W_E" = "zero" }', "", "a&b=c#d%", "ä 中 🙂", " "];

function anyState(random) {
  const pick = (list) => list[random(list.length)];
  const settings = () => Object.fromEntries(Array.from({ length: random(4) }, () => [pick(KEYS), pick(VALUES)]));
  const state = initialState(pick(SCENES));
  state.set = settings();
  const vs = settings();
  if (Object.keys(vs).length) state.vs = vs;
  if (random(2)) state.seeds = 1 + random(256);
  if (random(3) === 0) state.tab = "plane";
  if (random(3) === 0) state.plane = { x: "network.width: 1, 2", y: `data.context: ${random(9)}`, quantity: "plateau.present" };
  if (random(3) === 0) state.study = pick(['title = "x"\n[data]\n', "ü", "a".repeat(3000)]);
  if (random(2)) state.follow = random(1000);
  if (random(2)) state.at = random(10000);
  if (random(2))
    state.claim = {
      quantity: "plateau.level",
      statistic: pick(["median", "rate"]),
      statement: pick(VALUES) || "x",
      low: pick([0.5, -1e9, -Infinity]),
      high: pick([1, 2.5e-7, Infinity]),
      ...(random(2) ? { relativeTo: "data.vocab" } : {}),
      ...(random(2) ? { given: "plateau.present" } : {}),
      ...(random(2) ? { where: { "network.width": "3" } } : {}),
    };
  return state;
}

test("a state comes back from its link as it was", () => {
  const random = numbers(20);
  for (let i = 0; i < 2000; i++) {
    const state = anyState(random);
    const { state: back, notices } = fromFragment(`#${toFragment(state, { page: "0.1.0", engine: "5" })}`);
    assert.deepEqual(back, state);
    assert.deepEqual(notices, []);
  }
});

test("damaged links open all the same, within the page's limits", () => {
  const random = numbers(7);
  const letters = "abz019.=&#%+-_~ é\u0000[]{}\"'\\/";
  for (let i = 0; i < 5000; i++) {
    const text = [...toFragment(anyState(random))];
    for (let cuts = 1 + random(8); cuts > 0; cuts--) text.splice(random(text.length + 1), random(5), letters[random(letters.length)]);
    const { state } = fromFragment(text.join(""));
    assert.ok(SCENES.includes(state.scene));
    assert.ok(state.seeds === null || (state.seeds >= 1 && state.seeds <= 256));
    assert.ok(state.at === null || (state.at >= 0 && Number.isFinite(state.at)));
    // What was opened is itself a state that a link can hold.
    assert.deepEqual(fromFragment(toFragment(state)).state, state);
  }
});

test("any text at all is a link that opens", () => {
  const random = numbers(22);
  const keys = ["v", "scene", "study", "seeds", "tab", "x", "y", "share", "follow", "at", "page", "engine", "claim.quantity", "claim.low",
    "claim.high", "claim.where.network.width", "claim.where.__proto__", "claim.", "vs.data.vocab", "vs.", "data.vocab", "data.__proto__",
    "__proto__", "constructor", "toString", ""];
  const values = ["", "1", "-0", "1e999", "NaN", "Infinity", "0x10", "1_000", "9".repeat(400), "%", "%zz", "%00", "%ud800", "\ud800", "=", "__proto__",
    "a".repeat(2001), encodeText("x"), "////", "plane", "sticky-plateau"];
  const before = Object.getOwnPropertyNames(Object.prototype).length;
  for (let i = 0; i < 3000; i++) {
    let text = "#".repeat(random(3));
    for (let parts = random(8); parts > 0; parts--) {
      const kind = random(4);
      if (kind === 0) text += String.fromCharCode(...Array.from({ length: random(12) }, () => random(0x10000)));
      else text += `&${keys[random(keys.length)]}=${values[random(values.length)]}`;
    }
    const { state, notices } = fromFragment(text);
    assert.ok(SCENES.includes(state.scene));
    assert.ok(state.seeds === null || (Number.isInteger(state.seeds) && state.seeds >= 1 && state.seeds <= 256));
    assert.ok(state.study === null || state.study.length <= 200_000);
    assert.ok(Object.values(state.set).every((value) => typeof value === "string" && value.length <= 2000));
    assert.ok(notices.every((notice) => notice.length < 600));
    assert.deepEqual(fromFragment(toFragment(state)).state, state, text);
  }
  assert.equal(fromFragment(`#study=${encodeText("y".repeat(200_001))}`).state.study, null);
  assert.equal(Object.getOwnPropertyNames(Object.prototype).length, before);
});

test("what is unknown is named and left out", () => {
  const { state, notices } = fromFragment("#v=1&scene=branching&colour=red&network.width=3&vs.colour=1&seeds=64");
  assert.equal(state.scene, "branching");
  assert.deepEqual(state.set, { "network.width": "3" });
  assert.equal(state.vs, null);
  assert.equal(notices.length, 1);
  assert.match(notices[0], /colour, vs\.colour/);
});

test("links of later pages say so, scenes that are gone fall back to the first", () => {
  const { state, notices } = fromFragment("v=99&scene=gone");
  assert.equal(state.scene, "sticky-plateau");
  assert.match(notices.join(" "), /newer page/);
  assert.match(notices.join(" "), /no scene “gone”/);
});

test("a billion seeds become what the page can do", () => {
  const { state, notices } = fromFragment("#v=1&seeds=1000000000");
  assert.equal(state.seeds, 256);
  assert.match(notices[0], /at most 256/);
  assert.equal(fromFragment("#seeds=-3").state.seeds, 1);
  assert.equal(fromFragment("#seeds=many").state.seeds, null);
});

test("a damaged study is left out, a whole one comes back", () => {
  assert.equal(decodeText(encodeText('ä = "中"\n')), 'ä = "中"\n');
  const { state, notices } = fromFragment("#study=***");
  assert.equal(state.study, null);
  assert.match(notices[0], /damaged/);
});

test("a claim of a link that does not say it in words is put into words", () => {
  const { state } = fromFragment("v=1&claim.quantity=plateau.present&claim.statistic=rate&claim.low=0.5&claim.high=1");
  assert.equal(state.claim.statement, "The share of seeds with plateau.present is 0.5 to 1");
});
