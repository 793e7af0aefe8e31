// The strips of verdicts: one mark for each claim. The mark under the pointer or the focus is named below its strip, and the arrow keys
// go from mark to mark, so that a strip of a hundred is one stop of the Tab key.
import { element } from "../shared/element.ts";

const MOVES: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at, last) => Math.min(at + 1, last),
  ArrowLeft: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

function startStrip(strip: HTMLElement): void {
  const marks = [...strip.querySelectorAll("a")];
  // The mark itself carries the name for those who hear the page.
  const name = element("p", { class: "strip-name", "aria-hidden": "true" });
  const idle = "One mark for each claim: ✓ holds, ✗ does not, ? is open.";
  let current = 0;

  const show = (mark?: HTMLAnchorElement) => (name.textContent = mark?.getAttribute("aria-label") ?? idle);
  const choose = (index: number) => {
    current = index;
    marks.forEach((mark, i) => (mark.tabIndex = i === current ? 0 : -1));
  };
  for (const [i, mark] of marks.entries()) {
    mark.addEventListener("pointerenter", () => show(mark));
    mark.addEventListener("focus", () => {
      choose(i);
      show(mark);
    });
    for (const event of ["pointerleave", "blur"]) mark.addEventListener(event, () => show());
  }
  strip.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    marks[move(current, marks.length - 1)]?.focus();
  });
  choose(0);
  show();
  strip.after(name);
}

export function startStrips(): void {
  document.querySelectorAll<HTMLElement>("ul.strip").forEach(startStrip);
}
