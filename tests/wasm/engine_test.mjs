// The engine in WebAssembly says what the native one says.
import assert from "node:assert/strict";
import test from "node:test";

import { bytesOf, compileEngine, engineStream, native, plain, relaxed, relaxedWorks, train, trainNatively } from "./engines.mjs";

// Of losses and perplexities where multiply-adds are not fused: relative, and relative to kSmall where a loss is smaller,
// as the probabilities it is the logarithm of have no more digits.
const kTolerance = 1e-6;
const kSmall = 1e-2;
const kOnTheWay = 1e-5; // while a network learns fast, a difference grows before it vanishes

const builds = [["plain", plain, false]];
if (relaxedWorks) builds.push(["relaxed", relaxed, true]);

// Runs of 1,000 steps: the sizes of the posts, narrow and wide networks, several tasks and optimizers.
const settings = [
  ["V = 4", ["data.vocab=4", "training.batch=128"]],
  ["V = 10", ["data.vocab=10"]],
  ["V = 100", ["data.vocab=100"]],
  ["width 3, sgd", ["data.vocab=10", "network.width=3", "training.optimizer=sgd", "training.rate=0.1"]],
  ["a transformer", ["data.vocab=20", "network.width=16", "network.layers=2", "network.heads=4", "network.output=true",
    "network.residual=true", "network.mlp=gelu", "network.norm=pre", "network.positions=learned", "training.batch=64"]],
];
const short = ["training.steps=1000"];
const request = (set) => ({
  name: "short",
  text: `title = "Short"
[data]
vocab = 10
[[observe]]
what = ["perplexity", "loss", "embedding"]
every = 50
[[phenomenon]]
detector = "plateau"
[seeds]
count = 2
`,
  options: { set: [...short, ...set] },
});

const apart = (a, b) => Math.abs(a - b) / Math.max(Math.abs(b), kSmall);

for (const [name, build, exact] of builds) {
  test(`${name}: about`, async () => {
    const about = (await build()).ask({ ask: "about" });
    const [known] = native([{ ask: "about" }]);
    assert.equal(about.version, known.version);
    assert.equal(about.engine_revision, known.engine_revision);
    assert.equal(about.target, exact ? "wasm-relaxed" : "wasm");
    if (!exact) assert.equal(about.native_bits, false);
  });

  for (const [what, set] of settings) {
    test(`${name}: 1,000 steps of ${what}`, async () => {
      const engine = await build();
      const bits = exact && engine.ask({ ask: "about" }).native_bits;
      const runs = train(engine, request(set));
      const expected = trainNatively(request(set));
      assert.equal(runs.length, 2);
      runs.forEach((run, i) => {
        assert.equal(run.step, 1000);
        assert.ok(run.finished);
        if (bits) {
          assert.deepEqual(run, expected[i]);
          return;
        }
        for (const series of [0, 1]) {
          assert.deepEqual(run.series[series].steps, expected[i].series[series].steps);
          const all = run.series[series].values.map((v, k) => apart(v, expected[i].series[series].values[k]));
          assert.ok(all.at(-1) <= kTolerance, `${what}, at the end: ${all.at(-1)}`);
          assert.ok(Math.max(...all) <= kOnTheWay, `${what}: ${Math.max(...all)}`);
        }
      });
    });
  }
}

test("a page unpacks both engines", async () => {
  const [unlzma, pack] = ["unlzma.wasm", "engines.pack"].map((name) => new Uint8Array(bytesOf(name)));
  const unpacked = async (bytes, relaxed) => Buffer.from(await new Response(await engineStream(unlzma, bytes, relaxed)).arrayBuffer());
  assert.deepEqual(await unpacked(pack, true), bytesOf("engine-relaxed.wasm"));
  assert.deepEqual(await unpacked(pack, false), bytesOf("engine.wasm"));
  assert.ok((await compileEngine(unlzma, pack, false)) instanceof WebAssembly.Module);
  const damaged = pack.slice();
  damaged.fill(0x55, 1000);
  await assert.rejects(compileEngine(unlzma, damaged, false));
  await assert.rejects(unpacked(pack.subarray(0, 12), true));
  await assert.rejects(unpacked(pack.subarray(0, pack.length / 2), true));
});
