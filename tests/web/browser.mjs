// The browser that the tests drive, and what a page says and asks for while it is open.
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const REMEDY = "run scripts/setup.sh test, or name a Chromium or Chrome in $ATTO_BROWSER";

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser that `atto` would take (src/app/browser.cpp). */
export function findBrowser({ ATTO_BROWSER: named, PATH = "" } = process.env) {
  if (named && !isProgram(named)) throw new Error(`the browser '${named}' of $ATTO_BROWSER is missing: ${REMEDY}`);
  const folders = PATH.split(delimiter);
  const found = named || NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (!found) throw new Error(`there is no browser to test the page with: ${REMEDY}`);
  return found;
}

/** Flags of a browser that stays by itself: no sandbox as tests may run as root, and nothing that calls home. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser whose profile is a new one, and gone when it is closed; with flags of its own, if given. */
export const startBrowser = (...more) => chromium.launch({ executablePath: findBrowser(), args: [...FLAGS, ...more] });

/** Runs `use(browser)` with a browser of its own. */
export async function withBrowser(use) {
  const browser = await startBrowser();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a file, with no memory of other pages. `said` gathers warnings, errors and requests that leave the page. */
export async function openPage(browser, path, { width = 1200, height = 800, theme = "light", fragment = "", before } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  const said = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(`page error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) said.push(`request of ${request.url()}`);
  });
  if (before) await page.addInitScript(before); // runs in the page before its own scripts
  await page.goto(pathToFileURL(path).href + (fragment && `#${fragment}`));
  return { page, said };
}
