// All figures of the page: each is drawn when the reader comes near it.
import { Figure, SPEC } from "./figure.js";
import { onThemeChange } from "./theme.js";

const NEAR = "800px"; // so that a figure is there before it is seen
const SETTLED = 200; // ms without a change of size

export function startFigures() {
  // A figure with nothing to draw is words alone.
  const drawable = [...document.querySelectorAll("main figure")].filter((element) => element.querySelector(SPEC));
  const figures = drawable.map((element) => new Figure(element));
  const figureOf = new Map(figures.map((figure) => [figure.element, figure]));

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        figureOf.get(target).draw();
      }
    },
    { rootMargin: NEAR },
  );

  let timer;
  const resized = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(redrawStale, SETTLED);
  });
  const redrawStale = () => figures.forEach((figure) => figure.redrawIfStale());

  for (const { element } of figures) near.observe(element);
  resized.observe(document.querySelector("main"));
  onThemeChange(redrawStale);

  const renderAll = () => Promise.all(figures.map((figure) => figure.draw()));
  addEventListener("beforeprint", renderAll);
  return { figures, renderAll };
}
