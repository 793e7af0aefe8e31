// Light or dark: as the system asks until the visitor chooses. A choice is kept where the browser allows it.
import { signal } from "@preact/signals";
import { palette, readPalette } from "../draw/palette.ts";

const KEY = "atto-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal<"light" | "dark" | null>(null);

const now = (): "light" | "dark" => chosen.value ?? (system.matches ? "dark" : "light");

function apply(): void {
  document.documentElement.dataset["theme"] = now();
  palette.value = readPalette();
}

export function startTheme(): void {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "light" || kept === "dark") chosen.value = kept;
  } catch {
    // Pages opened from disk may have no storage.
  }
  apply();
  system.addEventListener("change", apply);
}

export function ThemeButton() {
  const other = now() === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      aria-label={`Switch to the ${other} theme`}
      onClick={() => {
        chosen.value = other;
        apply();
        try {
          localStorage.setItem(KEY, other);
        } catch {
          // Then the choice lasts as long as the page.
        }
      }}
    >
      {other === "dark" ? "☾" : "☀"}
    </button>
  );
}
