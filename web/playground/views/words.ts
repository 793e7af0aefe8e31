// Short words for what the lab says in full.
import type { Cell } from "../engine/engine.ts";

/** The settings by which a cell differs, without their tables: "width=3". */
export const shortText = ({ overrides }: Cell): string =>
  Object.entries(overrides)
    .map(
      ([key, value]) =>
        `${key.slice(key.indexOf(".") + 1).replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
    )
    .join(", ") || "all seeds";
