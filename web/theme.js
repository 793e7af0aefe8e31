// Light or dark: what the system asks for until the reader chooses. The choice is remembered where the browser allows it;
// page.html applies a remembered one before anything is painted.

const KEY = "atto-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
let printing = false;

const chosen = () => root.dataset.theme || (system.matches ? "dark" : "light");

export const onPaper = () => printing;

/** The theme to draw in: paper is always light. */
export const theme = () => (printing ? "light" : chosen());

export function onThemeChange(listener) {
  listeners.push(listener);
}

const announce = () => listeners.forEach((listener) => listener());

function choose(name) {
  root.dataset.theme = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Pages opened from disk may have no storage; the choice then lasts as long as the page.
  }
}

export function startTheme() {
  const button = document.getElementById("theme");
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
  for (const [event, state] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      printing = state;
      announce();
    });
  }
}
