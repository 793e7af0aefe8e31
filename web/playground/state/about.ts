// Which page and which engine this is.
import { signal } from "@preact/signals";
import type { About } from "../engine/engine.ts";

export const about = signal<About | null>(null);
