// The browser that the tests drive, and what a page says and asks for while it is open.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

export const CHROMIUM = process.env.ATTO_CHROMIUM ?? "/usr/bin/chromium";

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

/** Runs `use(browser)`; the browser's profile is a new one, and gone afterwards. */
export async function withBrowser(use) {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: run scripts/setup.sh test, or set ATTO_CHROMIUM`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a file, with no memory of other pages. `said` gathers warnings, errors and requests that leave the page. */
export async function openPage(browser, path, { width = 1200, height = 800, theme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  const said = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(`page error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) said.push(`request of ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  return { page, said };
}
