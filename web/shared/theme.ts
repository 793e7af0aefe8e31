// Light or dark: what the system asks for until the reader chooses. The choice is remembered where the browser allows it;
// page.html applies a remembered one before anything is painted.

export type Theme = "light" | "dark";

const KEY = "atto-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let printing = false;

function chosen(): Theme {
  const named = root.dataset.theme;
  return named === "light" || named === "dark" ? named : system.matches ? "dark" : "light";
}

export const onPaper = (): boolean => printing;

/** The theme to draw in: paper is always light. */
export const theme = (): Theme => (printing ? "light" : chosen());

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

const announce = () => listeners.forEach((listener) => listener());

function choose(name: Theme) {
  root.dataset.theme = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Pages opened from disk may have no storage; the choice then lasts as long as the page.
  }
}

/** Makes `button` switch between the themes. */
export function startTheme(button: HTMLButtonElement): void {
  const relabel = () => {
    const other = chosen() === "dark" ? "light" : "dark";
    button.textContent = `${other === "dark" ? "☾" : "☀"} ${other}`;
    button.setAttribute("aria-label", `switch to the ${other} theme`);
  };
  button.hidden = false;
  relabel();
  onThemeChange(relabel);
  button.addEventListener("click", () => {
    choose(chosen() === "dark" ? "light" : "dark");
    announce();
  });
  system.addEventListener("change", announce);
  for (const [event, state] of [["beforeprint", true], ["afterprint", false]] as const) {
    addEventListener(event, () => {
      printing = state;
      announce();
    });
  }
}
