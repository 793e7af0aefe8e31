// The page that the tests open. Without it there is nothing to test: 77 tells ctest so, unless it must be there.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const FILE = process.env.ATTO_PAGE ?? fileURLToPath(new URL("../../build/page/index.html", import.meta.url));

if (!existsSync(FILE)) {
  console.error(`there is no ${FILE}: run make page`);
  process.exit(process.env.ATTO_REQUIRE_PAGE ? 1 : 77);
}
