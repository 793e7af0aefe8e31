// The page with `atto serve` behind it, in a browser: the studies of the server, their runs in the store, and training more of them.
// $ATTO_BINARY is the program, built after `make page`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../web/browser.mjs";
import "./built_page.mjs";

const PROGRAM = process.env.ATTO_BINARY ?? fileURLToPath(new URL("../../build/atto", import.meta.url));

const STUDY = (title, steps) => `title = "${title}"
summary = "A study of a test."
[data]
vocab = 6
context = 4
[training]
steps = ${steps}
batch = 32
[[observe]]
what = ["perplexity"]
linear = 60
[[observe]]
what = ["embedding"]
linear = 5
[[phenomenon]]
detector = "plateau"
[seeds]
count = 6
[[claim]]
id = "S.1"
statement = "There is a plateau"
quantity = "plateau.present"
statistic = "rate"
above = 0.5
`;

/** `atto serve` over some studies, with a store of its own unless it is given one. */
class Server {
  constructor(folder = mkdtempSync(join(tmpdir(), "page-server-"))) {
    this.folder = folder;
    this.studies = join(folder, "studies");
    mkdirSync(this.studies, { recursive: true });
    writeFileSync(join(this.studies, "short.toml"), STUDY("A short study", 300));
    writeFileSync(join(this.studies, "endless.toml"), STUDY("An endless study", 1e12));
    writeFileSync(join(this.studies, "damaged.toml"), "[data]\nvocab = \n");
    this.store = join(folder, "store.db");
  }

  options = () => ["--store", this.store, "--studies", this.studies];

  async start() {
    this.child = spawn(PROGRAM, ["serve", "--port", "0", "--json", ...this.options()], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    for await (const part of this.child.stdout) {
      said += part;
      if (said.trimEnd().endsWith("}")) break;
    }
    this.url = JSON.parse(said).url;
    return this;
  }

  stop() {
    this.child?.kill("SIGTERM");
    return new Promise((resolve) => (this.child ? this.child.on("exit", resolve) : resolve()));
  }
}

let browser;
let server;
before(async () => {
  browser = await startBrowser();
  server = await new Server().start();
  const { token } = Object.fromEntries(new URL(server.url).searchParams);
  const page = await (await fetch(server.url.replace(/\?.*/, ""), { headers: { Authorization: `Bearer ${token}` } })).text();
  if (!page.includes("built without the page")) return;
  console.error("the program was built before the page: make page, then build it again");
  await Promise.all([browser.close(), server.stop()]);
  process.exit(process.env.ATTO_REQUIRE_PAGE ? 1 : 77);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (server) rmSync(server.folder, { recursive: true, force: true });
});

/** Opens the server's link. Whatever the page says to the console is gathered; an answer that refuses is said there by the browser. */
async function visit(use, { url = server.url, refusals = false, before: prepare } = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const said = [];
  page.on("console", (message) => {
    const refused = refusals && /Failed to load resource/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !refused) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url())) said.push(`request of ${request.url()}`);
  });
  try {
    await prepare?.(page);
    await page.goto(url);
    await until(page, () => atto.head.value > 0);
    await use(page);
    assert.deepEqual(said, []);
  } finally {
    await page.close();
  }
}

const until = (page, what, argument) => page.waitForFunction(what, argument, { timeout: 120_000 });
const library = (page) => page.locator(".library");
const choose = (page, title) => page.getByLabel("Study", { exact: true }).selectOption({ label: title });
const says = (page, text) => library(page).getByText(text).first().waitFor({ timeout: 120_000 });

test("a scene trains on the server, and the page lists its studies", () =>
  visit(async (page) => {
    assert.match(await page.locator("footer").innerText(), /on the server: to the bit/);
    await says(page, /damaged cannot be read: .*damaged\.toml/);
    const titles = await page.getByLabel("Study", { exact: true }).locator("option").allInnerTexts();
    assert.deepEqual(titles, ["choose one …", "An endless study", "A short study"]);
    assert.equal(new URL(page.url()).searchParams.get("token"), null);
  }));

test("nothing is lost of what trains before the page has read the study", () =>
  visit(
    async (page) => {
      await until(page, () => atto.training.value === "ended" || atto.head.value > 100);
      const steps = await page.evaluate(() => atto.recordings.value.runs.map((run) => run.tracks.get("perplexity").step(0)));
      assert.deepEqual([...new Set(steps)], [0]);
    },
    {
      before: async (page) => {
        let watched; // until then the study is not read
        const seen = new Promise((resolve) => (watched = resolve));
        page.on("response", async (answer) => {
          if (!answer.url().endsWith("/api/open")) return;
          const { session } = await answer.json();
          const { token } = Object.fromEntries(new URL(server.url).searchParams);
          const events = await fetch(`${new URL(server.url).origin}/api/stream?session=${session}`, {
            headers: { Authorization: `Bearer ${token}` },
          });
          for await (const part of events.body) if (/^data: /m.test(Buffer.from(part).toString())) break;
          watched();
        });
        await page.route("**/api/ask", async (route) => {
          if (route.request().postDataJSON().ask === "study") await seen;
          await route.continue();
        });
      },
    },
  ));

test("a study is trained into the store, its results stream in, and its runs are shown", () =>
  visit(async (page) => {
    await choose(page, "A short study");
    await says(page, "0 of 6 runs are in the store.");
    assert.ok(await page.getByRole("button", { name: "Show stored runs" }).isDisabled());
    await page.getByRole("button", { name: "Train into the store" }).click();
    await says(page, /short: done, 6 of 6 runs/);
    await says(page, "6 of 6 runs are in the store.");
    await says(page, /There is a plateau/);
    await page.getByRole("button", { name: "Show stored runs" }).click();
    await until(page, () => atto.training.value === "ended" && atto.recordings.value.runs.length === 6);
    const seen = await page.evaluate(() => {
      const [run] = atto.recordings.value.runs;
      return { step: run.step, tracks: [...run.tracks].map(([address, track]) => [address, track.width]) };
    });
    assert.equal(seen.step, 300);
    assert.deepEqual(Object.fromEntries(seen.tracks), { perplexity: 1, embedding: 12 });
    // They stay: nothing trains until something is changed.
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => atto.training.value), "ended");
    await page.getByLabel("networks").fill("2");
    await page.keyboard.press("Enter");
    await until(page, () => atto.recordings.value.runs.length === 2 && atto.head.value > 1);
  }));

test("a run that is deleted meanwhile is left out, and said", () =>
  visit(
    async (page) => {
      await choose(page, "A short study");
      await says(page, "6 of 6 runs are in the store.");
      await page.route(/\/api\/runs\?/, async (route) => {
        const answer = await route.fetch();
        const { runs } = await answer.json();
        runs[2].run = "0".repeat(runs[2].run.length); // as if it had been there
        await route.fulfill({ json: { runs } });
      });
      await page.getByRole("button", { name: "Show stored runs" }).click();
      await until(page, () => atto.training.value === "ended" && atto.recordings.value.runs.length === 5);
      assert.match(await page.locator(".messages").innerText(), /1 of the runs was deleted from the store/);
    },
    { refusals: true },
  ));

test("a study is stopped, and watched without the store", () =>
  visit(async (page) => {
    await choose(page, "An endless study");
    await page.getByRole("button", { name: "Train into the store" }).click();
    await says(page, /endless: running/);
    assert.ok(await page.getByRole("button", { name: "Train into the store" }).isDisabled());
    await library(page).getByRole("button", { name: "Stop" }).click();
    await says(page, /endless: stopped/);
    await page.getByRole("button", { name: "Watch it train" }).click();
    await until(page, () => atto.study.value?.title === "An endless study" && atto.head.value > 0);
    assert.equal(await page.evaluate(() => atto.recordings.value.runs.length), 4);
  }));

test("a store that another program writes to is told of", async () => {
  const other = await new Server(server.folder).start();
  try {
    await visit(
      async (page) => {
        await choose(page, "An endless study");
        await page.getByRole("button", { name: "Train into the store" }).click();
        await says(page, /endless: running/);
        await visit(
          async (second) => {
            await choose(second, "A short study");
            await second.getByRole("button", { name: "Train into the store" }).click();
            await second.locator(".problem").waitFor();
            assert.match(await second.locator(".problem").innerText(), /another atto is writing/);
            await until(second, () => atto.head.value > 0); // and what is watched trains on
          },
          { url: other.url, refusals: true },
        );
        await library(page).getByRole("button", { name: "Stop" }).click();
        await says(page, /endless: stopped/);
      },
      { refusals: true },
    );
  } finally {
    await other.stop();
  }
});

test("a study that fails half-way says why", () =>
  visit(
    async (page) => {
      await page.route(/\/api\/train\/events/, (route) =>
        route.fulfill({
          contentType: "text/event-stream",
          body: `data: ${JSON.stringify({
            study: "short",
            profile: "quick",
            state: "failed",
            progress: { total: 6, cached: 0, done: 2, fraction: 0.4 },
            error: { message: "the disk is full", remedy: "make room" },
          })}\n\n`,
        }),
      );
      await page.reload();
      await says(page, /short: failed, 2 of 6 runs/);
      await says(page, "the disk is full make room");
    },
  ));

test("a server that ends is told of", async () => {
  const own = await new Server().start();
  try {
    await visit(
      async (page) => {
        await own.stop();
        own.child = null;
        await page.locator(".problem").waitFor({ timeout: 60_000 });
        assert.match(await page.locator(".problem").innerText(), /server (closed|does not answer)/i);
      },
      { url: own.url, refusals: true },
    );
  } finally {
    await own.stop();
    rmSync(own.folder, { recursive: true, force: true });
  }
});
